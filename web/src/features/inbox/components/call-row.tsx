import type { ReactNode } from 'react'
import { isServiceChosen, LEAD_FORMS, serviceLabel } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { capitalize } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
import { Icon, type IconName } from '@/ui/icon'
import type { Call, TouchItem } from '../types'

const CALLS: Readonly<Record<string, { tone: CallTone; icon: IconName }>> = {
  ringing: { tone: 'info', icon: 'phone' },
  answered: { tone: 'success', icon: 'phone' },
  missed: { tone: 'error', icon: 'phone' },
  hung_up: { tone: 'warning', icon: 'phone' },
  refused: { tone: 'neutral', icon: 'shield' },
}

type CallTone = keyof typeof TONE_CLASSES

const TONE_CLASSES = {
  info: 'text-info',
  success: 'text-success',
  error: 'text-error',
  warning: 'text-warning',
  neutral: 'text-muted',
} as const

type EventRowProps = { icon: IconName; iconClass: string; children: ReactNode; at: string; timeZone: string }

function EventRow({ icon, iconClass, children, at, timeZone }: EventRowProps) {
  return (
    <li className="mx-auto flex max-w-[92%] items-start gap-2 rounded-field border border-primary/15 bg-base-200 px-3 py-1.5 text-note">
      <Icon name={icon} className={classNames('mt-0.5 size-4', iconClass)} />
      <span className="min-w-0 wrap-anywhere">
        {children}
        <span className="text-muted tabular-nums">
          {', '}
          {formatTime(at, timeZone)}
        </span>
      </span>
    </li>
  )
}

export function CallRow({ call, at, timeZone }: { call: Call; at: string; timeZone: string }) {
  const { tone, icon } = CALLS[call.status] ?? { tone: 'neutral', icon: 'phone' }
  return (
    <EventRow icon={icon} iconClass={TONE_CLASSES[tone]} at={at} timeZone={timeZone}>
      <span className={classNames('font-semibold', TONE_CLASSES[tone])}>{capitalize(call.statusText)}</span>
    </EventRow>
  )
}

/** A request by a form: their words as a message of theirs, else one line. */
export function FormSubmissionRow({ touch, timeZone }: { touch: TouchItem; timeZone: string }) {
  if (touch.notes)
    return (
      <li className="flex flex-col items-start gap-0.5">
        <div className="w-fit max-w-[88%] rounded-box rounded-bl-sm border border-base-content/12 bg-base-300 px-3 py-2 sm:max-w-[75%]">
          <p className="sr-only">{t('They wrote:')}</p>
          <p className="flex items-start gap-2 font-semibold wrap-anywhere">
            <Icon name="document" className="mt-0.5 text-accent" />
            {LEAD_FORMS[touch.form]}: {serviceLabel(touch.service)}
          </p>
          {touch.typedName && (
            <p className="text-note text-muted wrap-anywhere">
              {t('as “{typedName}”', { typedName: touch.typedName })}
            </p>
          )}
          <p className="wrap-anywhere whitespace-pre-line">{touch.notes}</p>
        </div>
        <p className="px-1 pb-1 text-caption text-muted tabular-nums">{formatTime(touch.at, timeZone)}</p>
      </li>
    )
  return (
    <EventRow icon="document" iconClass="text-accent" at={touch.at} timeZone={timeZone}>
      <span className="font-semibold">{LEAD_FORMS[touch.form]}</span>
      {isServiceChosen(touch) && `: ${serviceLabel(touch.service)}`}
      {touch.typedName && t(', as “{typedName}”', { typedName: touch.typedName })}
    </EventRow>
  )
}
