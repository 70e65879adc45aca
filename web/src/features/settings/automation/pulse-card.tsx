// Settings of the figures report.
import { useQuery } from '@tanstack/react-query'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { formatDateTime } from '@/lib/format/date'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
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
  { value: 'daily', label: 'Every day', hint: 'About the day before' },
  { value: 'weekly', label: 'Every week', hint: 'About seven days, and what changed' },
] as const satisfies readonly { value: PulseSettings['frequency']; label: string; hint: string }[]

const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'es', label: 'Español' },
] as const satisfies readonly { value: PulseSettings['language']; label: string }[]

export function PulseCard({ saved, isOn }: { saved: PulseSettings; isOn: boolean }) {
  const save = useSaveSettings()
  const textsOff = useTextsOffReason()
  return (
    <Card title="KPI report" icon="document">
      {textsOff && <TextsOffLine why={textsOff} />}
      <SettingsForm
        label="KPI report"
        part="pulse"
        schema={pulseSchema}
        saved={toPulseValues(saved)}
        onSave={async (changed) => toPulseValues((await save.mutateAsync({ pulse: toPulsePatch(changed) })).pulse)}
      >
        {(form) => (
          <>
            <p className="text-note text-muted">
              Money first, then leads and work, and three things to do today. It goes to your recipients; without an
              email there, to the owners.
            </p>
            <ChoiceField
              form={form}
              name="frequency"
              label="How often"
              choices={FREQUENCIES}
              className="sm:grid-cols-2"
            />
            <PulseTimes form={form} />
            <SwitchField
              form={form}
              name="byEmail"
              label="By email"
              hint="With every figure, a chart, and the list behind each figure"
            />
            <SwitchField form={form} name="byText" label="By text" hint="Two segments at most" />
            <TextField
              form={form}
              name="quietUntil"
              label="Quiet until"
              type="date"
              hint="On holiday? None comes until the end of this day."
            />
            <ChoiceField form={form} name="language" label="Language" choices={LANGUAGES} className="sm:grid-cols-2" />
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
        <TextField form={form} name="time" label="Time" required type="time" />
        {frequency === 'weekly' && (
          <SelectField
            form={form}
            name="weekday"
            label="Day"
            required
            placeholder="Choose a day"
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
      <legend className="mb-1.5 font-semibold">Quiet days</legend>
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
      <p className="mt-1.5 text-caption text-muted">The next report after them is about them too.</p>
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
    <section aria-label="Next report" className="mt-5 border-t border-primary/22 pt-4">
      <QueryBoundary query={pulse} skeleton={<SkeletonLines lines={2} />} errorText={settingsMessages.pulseFailed}>
        {(shown) => (
          <div className="grid gap-3">
            <p className="text-note">
              {isOn ? (
                <NextAt at={shown.nextAt} timeZone={orgTimezone} />
              ) : (
                'KPI Reporting is switched off: none comes.'
              )}
            </p>
            <Disclosure summary="What it would say now">
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
      The next one is due <b className="font-semibold">{formatDateTime(at, timeZone)}</b>.
    </>
  ) : (
    <>The next one is being planned.</>
  )
}

function PulsePreviewText({ preview: { subject, text, sms, segments } }: { preview: PulsePreview['preview'] }) {
  return (
    <div className="grid gap-3">
      <div className="rounded-field border border-primary/22 p-3">
        <p className="font-semibold wrap-anywhere">{subject}</p>
        <ScrollArea label="The email in words" className="mt-2 max-h-80">
          <p className="text-note whitespace-pre-line wrap-anywhere">{text}</p>
        </ScrollArea>
      </div>
      <div className="rounded-field border border-primary/22 p-3">
        <p className="text-note wrap-anywhere">{sms}</p>
        <p className="mt-1 text-caption text-muted">
          By text: {segments.segments === 1 ? '1 segment' : `${segments.segments} segments`}
        </p>
      </div>
    </div>
  )
}

const OUTCOMES: Record<PulsePreview['reports'][number]['outcome'], string> = {
  waiting: 'is being made',
  sent: 'sent',
  late: 'sent late',
  left_out: 'left out',
}

function LastReport({ reports, timeZone }: { reports: PulsePreview['reports']; timeZone: string }) {
  const [last] = reports
  if (last === undefined) return null
  return (
    <p className="text-caption text-muted wrap-anywhere">
      The last one, of {formatDateTime(last.dueAt, timeZone)}: {OUTCOMES[last.outcome]}
      {last.reason ? `, because ${last.reason}` : ''}
      {last.sentTo.length > 0 ? ` to ${last.sentTo.map(({ to }) => to).join(', ')}` : ''}.
    </p>
  )
}
