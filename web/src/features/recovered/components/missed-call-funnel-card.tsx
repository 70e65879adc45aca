import { formatCount } from '@/lib/format/number'
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'

const STEPS = [
  { of: 'missed', label: t('Callers no one answered') },
  { of: 'texted', label: t('Texted back') },
  { of: 'returned', label: t('Came back before you called') },
  { of: 'booked', label: t('Got a visit') },
  { of: 'paid', label: t('Paid') },
] as const satisfies readonly { of: keyof Schema['MissedCallerSteps']; label: string }[]

export function MissedCallFunnelCard({ callers }: { callers: Schema['MissedCallerSteps'] }) {
  return (
    <Card title={t('Missed callers')} icon="phone">
      <dl className="grid gap-3">
        {STEPS.map(({ of, label }) => (
          <div key={of} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
            <dt className="text-note text-muted">{label}</dt>
            <dd className="font-semibold tabular-nums">{formatCount(callers[of])}</dd>
            <svg
              aria-hidden="true"
              viewBox="0 0 100 4"
              preserveAspectRatio="none"
              className="col-span-2 mt-1 h-2 w-full rounded-full bg-base-300"
            >
              <rect width={(callers[of] / Math.max(1, callers.missed)) * 100} height="4" className="fill-primary" />
            </svg>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-caption text-muted">
        {t('By the day of the first missed call. Money may come without a visit.')}
      </p>
    </Card>
  )
}
