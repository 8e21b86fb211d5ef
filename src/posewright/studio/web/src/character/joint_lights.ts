// How bodies show which joint is under the mouse, selected or at a limit: a number each, 0 to 1, mixed into the colour.

/** For fragment shaders, after the colour is known: `light` has the three numbers. */
export const mixLights = (light: string) => /* glsl */ `
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.14, 0.05, 0.3), 0.6 * ${light}.z);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.86, 0.5), 0.5 * ${light}.y);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.22 * ${light}.x);`;
