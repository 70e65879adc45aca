// Preview with the newest customer's data, and its SMS cost.
import { formatTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { formatDayTimeInSentence, getZoneDay } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { QueryBoundary, type QueryLike } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { settingsMessages } from '../messages'
import type { TemplatePreview, TemplateWarning } from '../types'

const MINUTE_MS = 60_000

type PreviewPaneProps = {
  query: QueryLike<TemplatePreview>
  isText: boolean
  lang: string
  onUse: (warning: TemplateWarning, cheaper: string) => void
}

export function PreviewPane({ query, isText, lang, onUse }: PreviewPaneProps) {
  const textsOff = useTextsOffReason()
  return (
    <section aria-label={t('Preview')} className="grid content-start gap-3">
      <h4 className="font-semibold">{t('How it arrives')}</h4>
      {isText && textsOff && <TextsOffLine why={textsOff} fact={t('This text is not sent')} />}
      <QueryBoundary
        query={query}
        skeleton={<SkeletonLines lines={3} />}
        errorText={settingsMessages.wordingPreviewFailed}
      >
        {(preview) => (
          <>
            <PreviewMessage preview={preview} lang={lang} isText={isText} isTextSent={!textsOff} />
            {isText && preview.segments && <SegmentLine segments={preview.segments} />}
            {preview.promise && <PromiseLine minutes={preview.promise.minutes} toldAt={preview.toldAt} />}
            <Warnings warnings={preview.warnings} onUse={onUse} />
          </>
        )}
      </QueryBoundary>
    </section>
  )
}

function PreviewMessage({
  preview: { subject, body, afterHours, sample },
  lang,
  isText,
  isTextSent,
}: {
  preview: TemplatePreview
  lang: string
  isText: boolean
  isTextSent: boolean
}) {
  if (typeof body !== 'string') return <p className="text-note text-muted">{t('Fix the marked place to see it.')}</p>
  return (
    <div className="grid gap-1.5">
      {/* The screen of a phone. */}
      <div className={isText ? 'max-w-80 rounded-box border-4 border-base-content/30 bg-base-100 p-3 pt-8 pb-8' : ''}>
        <div lang={lang} className="max-w-prose rounded-box rounded-bl-sm border border-primary/30 bg-base-200 p-3">
          {subject && <p className="mb-2 border-b border-primary/22 pb-2 font-semibold wrap-anywhere">{subject}</p>}
          <p className="text-note whitespace-pre-line wrap-anywhere">{body}</p>
        </div>
      </div>
      <p className="text-caption text-muted">
        {sample === 'lead'
          ? t('Filled in for your newest lead')
          : t('Filled in with an example, until your first lead comes in')}
      </p>
      {afterHours && <AfterHours isNow={afterHours === body} text={afterHours} lang={lang} isTextSent={isTextSent} />}
    </div>
  )
}

type AfterHoursProps = { isNow: boolean; text: string; lang: string; isTextSent: boolean }

/** Only the answers to a form have it: what they say of time depends on the hours. */
function AfterHours({ isNow, text, lang, isTextSent }: AfterHoursProps) {
  return (
    <>
      {isNow ? (
        <p className="text-caption text-muted">{t('You are closed right now: this is what is sent after hours')}</p>
      ) : (
        <p className="text-caption wrap-anywhere text-muted">
          {t('After hours:')} <span lang={lang}>{text}</span>
        </p>
      )}
      {isTextSent && (
        <p className="text-caption text-muted">
          {t('The text and the email of one request name the shorter of their two times')}
        </p>
      )}
    </>
  )
}

function SegmentLine({
  segments: { encoding, segments, units, left },
}: {
  segments: NonNullable<TemplatePreview['segments']>
}) {
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-note">
      <Icon name="message" className="size-4 text-primary" />
      <span className="font-semibold tabular-nums">
        {plural(segments, '{count} text', '{count} texts', { count: formatCount(segments) })}
      </span>
      <span className="text-muted tabular-nums">
        {t('{count} characters, {left} left ({encoding})', {
          count: formatCount(units),
          left: formatCount(left),
          encoding,
        })}
      </span>
    </p>
  )
}

/** The words start a timer for each lead: who writes them should see which. */
function PromiseLine({ minutes, toldAt }: { minutes: number; toldAt: string | null | undefined }) {
  const { orgTimezone } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  return (
    <p role="status" className="flex items-center gap-2 text-note">
      <Icon name="clock" className="size-4 text-primary" />
      {toldAt ? describeNotice(toldAt, orgTimezone, now) : <span>{describePromise(minutes)}</span>}
    </p>
  )
}

function describePromise(minutes: number): string {
  const hours = minutes / 60
  return Number.isInteger(hours)
    ? plural(
        hours,
        'These words promise an answer within {count} hour',
        'These words promise an answer within {count} hours',
        { count: formatCount(hours) },
      )
    : plural(
        minutes,
        'These words promise an answer within {count} minute',
        'These words promise an answer within {count} minutes',
        { count: formatCount(minutes) },
      )
}

/** `at 12:00 PM`; of another day with the day: `tomorrow 8:00 AM`. */
function describeNotice(toldAt: string, timeZone: string, now: number): string {
  const isToday = getZoneDay(timeZone, Date.parse(toldAt)) === getZoneDay(timeZone, now)
  return isToday
    ? t('Sent now, the time is left out: you get an alert at {time}', { time: formatTime(toldAt, timeZone) })
    : t('Sent now, the time is left out: you get an alert {moment}', {
        moment: formatDayTimeInSentence(toldAt, timeZone, now),
      })
}

function Warnings({ warnings, onUse }: { warnings: TemplatePreview['warnings'] } & Pick<PreviewPaneProps, 'onUse'>) {
  if (warnings.length === 0) return null
  return (
    <ul aria-label={t('Advice')} className="grid gap-2">
      {warnings.map((warning) => (
        <li key={`${warning.message} ${warning.start ?? ''}`} className="flex flex-wrap items-center gap-2 text-note">
          <span className="flex min-w-0 flex-1 basis-48 items-start gap-1.5">
            <Icon name="info" className="mt-0.5 size-4 text-warning" />
            {warning.message}
          </span>
          {warning.cheaper && (
            <CheaperEncodingHint cheaper={warning.cheaper} onUse={() => onUse(warning, warning.cheaper ?? '')} />
          )}
        </li>
      ))}
    </ul>
  )
}

function CheaperEncodingHint({ cheaper, onUse }: { cheaper: string; onUse: () => void }) {
  return (
    <Button variant="secondary" className="min-h-11 px-3 text-note!" onClick={onUse}>
      {cheaper.trim() === '' ? t('Use a plain space') : t('Use {cheaper}', { cheaper })}
    </Button>
  )
}
