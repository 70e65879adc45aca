// Eleven steps from request to review, and the history.
import { STEP_STATUSES } from '@/domain/job'
import type { WorkEvent } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { Icon } from '@/ui/icon'
import type { JobDetail, Step } from '../types'

const TONE_CLASSES = {
  success: 'border-success/55 bg-success/8 text-success',
  accent: 'border-accent/55 bg-accent/8 text-accent',
  info: 'glow border-info bg-info/8 text-info',
  neutral: 'border-muted/40 text-muted',
} as const

type TimelineCardProps = { job: JobDetail; timeZone: string }

export function TimelineCard({ job: { timeline, events }, timeZone }: TimelineCardProps) {
  return (
    <Card title={t('Tracking Timeline')} icon="clock">
      <ol aria-label={t('Steps of this job')} className="grid">
        {timeline.map((step) => (
          <TimelineStep key={step.step} step={step} timeZone={timeZone} />
        ))}
      </ol>
      {events.length > 0 && (
        <div className="mt-4">
          <Disclosure summary={t('Everything that happened ({count})', { count: events.length })}>
            <ul className="mt-2 mb-3 grid gap-2">
              {events.toReversed().map((event) => (
                <HistoryItem key={event.id} event={event} timeZone={timeZone} />
              ))}
            </ul>
          </Disclosure>
        </div>
      )}
    </Card>
  )
}

/** Who, when and how it went out, as far as it is known. */
function describeStep({ by, at, how }: Pick<Step, 'by' | 'at' | 'how'>, timeZone: string): string {
  return [at && formatDateTime(at, timeZone), by, how].filter(Boolean).join(' · ')
}

function TimelineStep({ step, timeZone }: { step: Step; timeZone: string }) {
  const { label, tone, icon } = STEP_STATUSES[step.status]
  const trace = describeStep(step, timeZone)
  return (
    <li className="group flex gap-3" aria-current={step.status === 'current' ? 'step' : undefined}>
      <span aria-hidden="true" className="flex flex-col items-center">
        <span className={classNames('grid size-8 shrink-0 place-items-center rounded-full border', TONE_CLASSES[tone])}>
          <Icon name={icon} className="size-4" />
        </span>
        <span className="w-px flex-1 bg-primary/30 group-last:hidden" />
      </span>
      <div className="min-w-0 flex-1 pb-4 group-last:pb-0">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3 pt-1">
          <span className={classNames('font-semibold', step.status === 'pending' && 'text-muted')}>{step.title}</span>
          <span
            className={classNames('text-caption', step.status === 'current' ? 'font-semibold text-info' : 'text-muted')}
          >
            {label}
          </span>
        </p>
        {step.description && <p className="text-note text-muted wrap-anywhere">{step.description}</p>}
        {trace !== '' && <p className="text-caption text-muted tabular-nums wrap-anywhere">{trace}</p>}
      </div>
    </li>
  )
}

function HistoryItem({ event: { title, at, by, detail, undone }, timeZone }: { event: WorkEvent; timeZone: string }) {
  const reason = detail['reason']
  return (
    <li className="border-l-2 border-primary/30 pl-3 text-note">
      <p className={classNames('font-semibold', undone && 'line-through')}>
        {title}
        {undone && <span className="sr-only"> {t('(undone)')}</span>}
      </p>
      {typeof reason === 'string' && reason !== '' && <p className="wrap-anywhere">{reason}</p>}
      <p className="text-caption text-muted tabular-nums">
        {[by, formatDateTime(at, timeZone), undone && t('undone')].filter(Boolean).join(' · ')}
      </p>
    </li>
  )
}
