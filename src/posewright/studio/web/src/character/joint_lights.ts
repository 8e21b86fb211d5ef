// How bodies show which joint is under the mouse, selected or at a limit: a number each, 0 to 1, mixed into the colour.

/** For fragment shaders, after the colour is known: `light` has the three numbers, `at` is a point of the body. */
export const mixLights = (light: string, at: string) => /* glsl */ `
  float stripe = step(0.5, fract((${at}.x + ${at}.y + ${at}.z) * 60.0)); // a limit is striped besides its colour
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.75, 0.09, 0.06), ${light}.z * (0.22 + 0.33 * stripe));
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.86, 0.5), 0.5 * ${light}.y);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.22 * ${light}.x);`;
