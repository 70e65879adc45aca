// Device name from the user agent.
import { t } from '@/lib/i18n'

const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
] as const

// Most browsers name older ones too, so the most particular is asked for first.
const BROWSERS = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

function firstMatch(names: typeof SYSTEMS | typeof BROWSERS, agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1]
}

/** "Chrome on Android", as far as it can be recognized. */
export function deviceName(agent: string | null | undefined): string {
  if (!agent) return t('Unknown device')
  const [browser, system] = [firstMatch(BROWSERS, agent), firstMatch(SYSTEMS, agent)]
  if (browser && system) return t('{browser} on {system}', { browser, system })
  return browser ?? system ?? t('Another program')
}
