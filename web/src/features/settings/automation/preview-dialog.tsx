// Messages of the next 30 days, before a switch is turned on.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { MESSAGE_CHANNELS, MESSAGE_KINDS } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { TextsOffLine, useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { ScrollArea } from '@/ui/scroll-area'
import { SkeletonLines } from '@/ui/skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import type { PlannedMessage, SwitchName, SwitchPreview } from '../types'
import { AUTOMATION_SWITCHES } from './switches'
import { useDescribeSwitch } from './use-describe-switch'

type SwitchPreviewDialogProps = { name: SwitchName; isTurningOn: boolean; onClose: () => void; onConfirm: () => void }

export function SwitchPreviewDialog({ name, isTurningOn, onClose, onConfirm }: SwitchPreviewDialogProps) {
  const { orgId } = useCurrentUser()
  const preview = useQuery(settingsQueries.switchPreview(orgId, name))
  const describeSwitch = useDescribeSwitch()
  const textsOff = useTextsOffReason()
  const { label } = AUTOMATION_SWITCHES[name]
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('Turn on {label}?', { label })}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Leave it off')}
          </Button>
          <Button icon="check" pending={isTurningOn} pendingText={t('Turning on...')} onClick={onConfirm}>
            {t('Turn it on')}
          </Button>
        </>
      }
    >
      <p className="text-muted">{describeSwitch(name)}</p>
      {textsOff && <TextsOffLine why={textsOff} fact={t('No text is sent. What can goes by email')} />}
      <h3 className="mt-4 mb-2 font-semibold">{t('Preview the next 30 days')}</h3>
      <QueryBoundary query={preview} skeleton={<SkeletonLines lines={4} />} errorText={settingsMessages.previewFailed}>
        {(found) => <PlannedMessages name={name} preview={found} />}
      </QueryBoundary>
    </Dialog>
  )
}

/** What is old, by what the switch acts on. */
function describeBacklog(name: SwitchName, count: number): string {
  const values = { count: formatCount(count) }
  if (name === 'jobTracking')
    return plural(
      count,
      'One open invoice without reminders is left alone: each is ticked by you, under Invoices.',
      '{count} open invoices without reminders are left alone: each is ticked by you, under Invoices.',
      values,
    )
  if (name === 'reviewCollection')
    return plural(
      count,
      'One job finished before is left alone: no one is asked about it automatically.',
      '{count} jobs finished before are left alone: no one is asked about them automatically.',
      values,
    )
  return plural(
    count,
    'One older lead is left alone: they get nothing.',
    '{count} older leads are left alone: they get nothing.',
    values,
  )
}

function PlannedMessages({ name, preview: { messages, oldRecords } }: { name: SwitchName; preview: SwitchPreview }) {
  return (
    <div className="grid gap-3">
      {messages.length === 0 ? (
        <p className="flex gap-2 text-note">
          <Icon name="check-circle" className="text-success" />
          {t('Nothing that waits today goes out because of it. It only acts on what comes in from now on.')}
        </p>
      ) : (
        <p className="text-note">
          {plural(
            messages.length,
            'This one message goes out because of it, and after that whatever comes in from now on:',
            'These {count} messages go out because of it, and after that whatever comes in from now on:',
            { count: formatCount(messages.length) },
          )}
        </p>
      )}
      {messages.length > 0 && (
        <ScrollArea label={t('Messages it will send')} className="max-h-[45dvh]">
          <ul className="grid gap-2">
            {messages.map((message) => (
              <PlannedRow key={`${message.at} ${message.to} ${message.kind}`} message={message} />
            ))}
          </ul>
        </ScrollArea>
      )}
      {oldRecords > 0 && <p className="text-caption text-muted">{describeBacklog(name, oldRecords)}</p>}
    </div>
  )
}

function PlannedRow({ message: { at, to, toName, channel, kind, text, leadId, why } }: { message: PlannedMessage }) {
  const { orgTimezone } = useCurrentUser()
  const { label, icon } = MESSAGE_CHANNELS[channel]
  return (
    <li className="grid gap-1 rounded-field border border-primary/30 p-3">
      <p className="flex flex-wrap items-center gap-x-2 text-note">
        <Icon name={icon} className="size-4 text-primary" />
        <span className="font-semibold">
          {t('{label} to', { label })}{' '}
          {leadId ? (
            <Link className="text-link" to={paths.lead(leadId)}>
              {toName ?? to}
            </Link>
          ) : (
            (toName ?? to)
          )}
        </span>
        <span className="text-muted">{formatDateTime(at, orgTimezone)}</span>
      </p>
      <p className="text-note whitespace-pre-line">{text}</p>
      <p className="text-caption text-muted">
        {MESSAGE_KINDS[kind]}: {why}
      </p>
    </li>
  )
}
