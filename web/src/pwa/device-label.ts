// Device names of the push list.

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

/** Order matters: user agents name older browsers too. */
const BROWSERS = [
  [/EdgA?\//, 'Edge'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/OPR\//, 'Opera'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const

function firstMatch(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return names.find(([mark]) => mark.test(agent))?.[1]
}

/** `Android phone, Chrome` */
export function getDeviceLabel(agent: string = navigator.userAgent): string {
  const device = firstMatch(DEVICES, agent) ?? 'Device'
  const browser = firstMatch(BROWSERS, agent)
  return browser ? `${device}, ${browser}` : device
}
