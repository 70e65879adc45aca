// Messages of the next 30 days, before a switch is turned on.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { MESSAGE_CHANNELS, MESSAGE_KINDS } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
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
      title={`Turn on ${label}?`}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Leave it off
          </Button>
          <Button icon="check" pending={isTurningOn} pendingText="Turning on..." onClick={onConfirm}>
            Turn it on
          </Button>
        </>
      }
    >
      <p className="text-muted">{describeSwitch(name)}</p>
      {textsOff && <TextsOffLine why={textsOff} fact="No text is sent. What can goes by email" />}
      <h3 className="mt-4 mb-2 font-semibold">Preview the next 30 days</h3>
      <QueryBoundary query={preview} skeleton={<SkeletonLines lines={4} />} errorText={settingsMessages.previewFailed}>
        {(found) => <PlannedMessages name={name} preview={found} />}
      </QueryBoundary>
    </Dialog>
  )
}

/** What is old, by what the switch acts on. */
function describeBacklog(name: SwitchName, count: number): string {
  if (name === 'jobTracking')
    return `${count === 1 ? 'One open invoice without reminders is' : `${formatCount(count)} open invoices without reminders are`} left alone: each is ticked by you, under Invoices.`
  if (name === 'reviewCollection')
    return `${count === 1 ? 'One job finished before is' : `${formatCount(count)} jobs finished before are`} left alone: no one is asked about ${count === 1 ? 'it' : 'them'} automatically.`
  return `${count === 1 ? 'One older lead is' : `${formatCount(count)} older leads are`} left alone: they get nothing.`
}

function PlannedMessages({ name, preview: { messages, oldRecords } }: { name: SwitchName; preview: SwitchPreview }) {
  return (
    <div className="grid gap-3">
      {messages.length === 0 ? (
        <p className="flex gap-2 text-note">
          <Icon name="check-circle" className="text-success" />
          Nothing that waits today goes out because of it. It only acts on what comes in from now on.
        </p>
      ) : (
        <p className="text-note">
          {messages.length === 1
            ? 'This one message goes out'
            : `These ${formatCount(messages.length)} messages go out`}{' '}
          because of it, and after that whatever comes in from now on:
        </p>
      )}
      {messages.length > 0 && (
        <ScrollArea label="Messages it will send" className="max-h-[45dvh]">
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
          {label} to{' '}
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
