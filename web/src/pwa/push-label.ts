// What a device is called in the list of devices, so that its owner knows it again.

const DEVICES = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android.*Mobile/, 'Android phone'],
  [/Android/, 'Android tablet'],
  [/Windows/, 'Windows computer'],
  [/CrOS/, 'Chromebook'],
  [/Macintosh/, 'Mac'],
  [/Linux/, 'Linux computer'],
] as const

/** Order matters: every browser also claims to be its elders. */
const BROWSERS = [
  [/EdgA?\//, 'Edge'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/OPR\//, 'Opera'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const

function first(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return names.find(([mark]) => mark.test(agent))?.[1]
}

/** `Android phone, Chrome` */
export function deviceLabel(agent: string = navigator.userAgent): string {
  const device = first(DEVICES, agent) ?? 'Device'
  const browser = first(BROWSERS, agent)
  return browser ? `${device}, ${browser}` : device
}
