// Settings of the figures report.
import { useQuery } from '@tanstack/react-query'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { formatDateTime } from '@/lib/format/date'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { Disclosure } from '@/ui/disclosure'
import { SelectField, TextField } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { ScrollArea } from '@/ui/scroll-area'
import { SkeletonLines } from '@/ui/skeleton'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { settingsMessages } from '../messages'
import { useSaveSettings } from '../mutations'
import { settingsQueries } from '../queries'
import type { PulseSettings, PulsePreview } from '../types'
import { pulseSchema, type PulseValues, toPulsePatch, toPulseValues, PULSE_WEEKDAYS } from './pulse-schema'

const FREQUENCIES = [
  { value: 'daily', label: t('Every day'), hint: t('About the day before') },
  { value: 'weekly', label: t('Every week'), hint: t('About seven days, and what changed') },
] as const satisfies readonly { value: PulseSettings['frequency']; label: string; hint: string }[]

const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'es', label: 'Español' },
] as const satisfies readonly { value: PulseSettings['language']; label: string }[]

export function PulseCard({ saved, isOn }: { saved: PulseSettings; isOn: boolean }) {
  const save = useSaveSettings()
  const textsOff = useTextsOffReason()
  return (
    <Card title={t('KPI report')} icon="document">
      {textsOff && <TextsOffLine why={textsOff} />}
      <SettingsForm
        label={t('KPI report')}
        part="pulse"
        schema={pulseSchema}
        saved={toPulseValues(saved)}
        onSave={async (changed) => toPulseValues((await save.mutateAsync({ pulse: toPulsePatch(changed) })).pulse)}
      >
        {(form) => (
          <>
            <p className="text-note text-muted">
              {t(
                'Money first, then leads and work, and three things to do today. It goes to your recipients; without an email there, to the owners.',
              )}
            </p>
            <ChoiceField
              form={form}
              name="frequency"
              label={t('How often')}
              choices={FREQUENCIES}
              className="sm:grid-cols-2"
            />
            <PulseTimes form={form} />
            <SwitchField
              form={form}
              name="byEmail"
              label={t('By email')}
              hint={t('With every figure, a chart, and the list behind each figure')}
            />
            <SwitchField form={form} name="byText" label={t('By text')} hint={t('Two segments at most')} />
            <TextField
              form={form}
              name="quietUntil"
              label={t('Quiet until')}
              type="date"
              hint={t('On holiday? None comes until the end of this day.')}
            />
            <ChoiceField
              form={form}
              name="language"
              label={t('Language')}
              choices={LANGUAGES}
              className="sm:grid-cols-2"
            />
          </>
        )}
      </SettingsForm>
      <NextReport isOn={isOn} />
    </Card>
  )
}

/** A weekly one has its day, a daily one its days off. */
function PulseTimes({ form }: { form: UseFormReturn<PulseValues> }) {
  const frequency = useWatch({ control: form.control, name: 'frequency' })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField form={form} name="time" label={t('Time')} required type="time" />
        {frequency === 'weekly' && (
          <SelectField
            form={form}
            name="weekday"
            label={t('Day')}
            required
            placeholder={t('Choose a day')}
            options={PULSE_WEEKDAYS}
          />
        )}
      </div>
      {frequency === 'daily' && <QuietDays form={form} />}
    </>
  )
}

function QuietDays({ form }: { form: UseFormReturn<PulseValues> }) {
  const { error } = form.getFieldState('quietDays', form.formState)
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-semibold">{t('Quiet days')}</legend>
      <div className="flex flex-wrap gap-2">
        {PULSE_WEEKDAYS.map(({ value, label }) => (
          <label
            key={value}
            className="flex min-h-12 cursor-pointer items-center gap-2 rounded-field border border-primary/30 px-3 has-checked:border-primary has-checked:bg-primary/10 has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="checkbox"
              value={value}
              className="checkbox checkbox-primary checkbox-sm"
              aria-label={label}
              {...form.register('quietDays')}
            />
            {label.slice(0, 3)}
          </label>
        ))}
      </div>
      <p className="mt-1.5 text-caption text-muted">{t('The next report after them is about them too.')}</p>
      {error?.message && (
        <p role="alert" className="mt-1.5 text-note text-error">
          {error.message}
        </p>
      )}
    </fieldset>
  )
}

/** When the next one comes, and what it would say now. */
function NextReport({ isOn }: { isOn: boolean }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const pulse = useQuery(settingsQueries.pulse(orgId))
  return (
    <section aria-label={t('Next report')} className="mt-5 border-t border-primary/22 pt-4">
      <QueryBoundary query={pulse} skeleton={<SkeletonLines lines={2} />} errorText={settingsMessages.pulseFailed}>
        {(shown) => (
          <div className="grid gap-3">
            <p className="text-note">
              {isOn ? (
                <NextAt at={shown.nextAt} timeZone={orgTimezone} />
              ) : (
                t('KPI Reporting is switched off: none comes.')
              )}
            </p>
            <Disclosure summary={t('What it would say now')}>
              <PulsePreviewText preview={shown.preview} />
            </Disclosure>
            <LastReport reports={shown.reports} timeZone={orgTimezone} />
          </div>
        )}
      </QueryBoundary>
    </section>
  )
}

function NextAt({ at, timeZone }: { at: string | null | undefined; timeZone: string }) {
  return at ? (
    <>
      {t('The next one is due')} <b className="font-semibold">{formatDateTime(at, timeZone)}</b>.
    </>
  ) : (
    <>{t('The next one is being planned.')}</>
  )
}

function PulsePreviewText({ preview: { subject, text, sms, segments } }: { preview: PulsePreview['preview'] }) {
  return (
    <div className="grid gap-3">
      <div className="rounded-field border border-primary/22 p-3">
        <p className="font-semibold wrap-anywhere">{subject}</p>
        <ScrollArea label={t('The email in words')} className="mt-2 max-h-80">
          <p className="text-note whitespace-pre-line wrap-anywhere">{text}</p>
        </ScrollArea>
      </div>
      <div className="rounded-field border border-primary/22 p-3">
        <p className="text-note wrap-anywhere">{sms}</p>
        <p className="mt-1 text-caption text-muted">
          {plural(segments.segments, 'By text: {count} segment', 'By text: {count} segments')}
        </p>
      </div>
    </div>
  )
}

const OUTCOMES: Record<PulsePreview['reports'][number]['outcome'], string> = {
  waiting: t('is being made'),
  sent: t('sent'),
  late: t('sent late'),
  left_out: t('left out'),
}

function LastReport({ reports, timeZone }: { reports: PulsePreview['reports']; timeZone: string }) {
  const [last] = reports
  if (last === undefined) return null
  return <p className="text-caption text-muted wrap-anywhere">{describeReport(last, timeZone)}</p>
}

function describeReport(report: PulsePreview['reports'][number], timeZone: string): string {
  const reason = report.reason ?? ''
  const recipients = report.sentTo.map(({ to }) => to).join(', ')
  const values = { date: formatDateTime(report.dueAt, timeZone), outcome: OUTCOMES[report.outcome], reason, recipients }
  if (reason && recipients) return t('The last one, of {date}: {outcome}, because {reason} to {recipients}.', values)
  if (reason) return t('The last one, of {date}: {outcome}, because {reason}.', values)
  if (recipients) return t('The last one, of {date}: {outcome} to {recipients}.', values)
  return t('The last one, of {date}: {outcome}.', values)
}
