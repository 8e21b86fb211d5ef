// Numbers as a person reads them.

export function shownError(error: number | null, unit: "m" | "rad"): string {
  if (error === null) return "off";
  if (unit === "rad") return `${digits((error * 180) / Math.PI)}°`;
  return error < 0.9995 ? `${digits(1000 * error)} mm` : `${error.toPrecision(3)} m`;
}

export function shownTime(milliseconds: number): string {
  return milliseconds < 999.5 ? `${digits(milliseconds)} ms` : `${digits(milliseconds / 1000)} s`;
}

/** A joint without what all names of its file begin with, such as `mixamorig:`. */
export function shownJoint(name: string): string {
  return name.replace(/^.*[:|](?=.)/, "");
}

/** Two digits, and nothing smaller than a tenth. */
function digits(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
