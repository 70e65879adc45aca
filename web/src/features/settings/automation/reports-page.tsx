import { FigureSettingsCard } from '../figures/figure-settings-card'
import type { Settings } from '../types'
import { PulseCard } from './pulse-card'

export function ReportsPage({ settings: { switches, pulse, figures } }: { settings: Settings }) {
  return (
    <>
      <PulseCard saved={pulse} isOn={switches.kpiReporting} />
      <FigureSettingsCard saved={figures} />
    </>
  )
}
