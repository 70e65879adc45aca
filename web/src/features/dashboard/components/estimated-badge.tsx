import { t } from '@/lib/i18n'
import { dashboardMessages as texts } from '../messages'

export function EstimatedBadge() {
  return (
    <span
      title={texts.estimate}
      className="rounded-selector border border-warning/40 bg-warning/8 px-1.5 py-0.5 align-middle text-caption font-semibold whitespace-nowrap text-warning"
    >
      {t('est.')} <span className="sr-only">({texts.estimate})</span>
    </span>
  )
}
