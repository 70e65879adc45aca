// Texts of outbox commands.
import type { IconName } from '@/ui/icon'
import { FILE_MOMENTS } from '@/domain/job'
import { LEAD_STAGES } from '@/domain/lead'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDuration } from '@/lib/format/duration'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import type { CustomerEdit, OutboxCommand } from '@/offline/outbox/entry'

type CommandText = { title: string; icon: IconName; /** What was written. */ body?: string }

const EDIT_LABELS = { name: 'Name', phone: 'Phone', email: 'Email', language: 'Language' } as const

/** `Phone: (312) 555-0142`, one field a line. */
export function describeCustomerEdit(change: CustomerEdit): string {
  const fields = Object.keys(EDIT_LABELS) as (keyof CustomerEdit)[]
  return fields
    .filter((field) => change[field] !== undefined)
    .map((field) => `${EDIT_LABELS[field]}: ${describeValue(field, change[field])}`)
    .join('\n')
}

function describeValue(field: keyof CustomerEdit, value: string | null | undefined): string {
  if (!value) return field === 'language' ? ANY_LANGUAGE : 'removed'
  return field === 'language' ? LANGUAGES[value as keyof typeof LANGUAGES] : value
}

const STATUSES = { scheduled: 'Not started after all', in_progress: 'Started', completed: 'Done' } as const

export function describeCommand(command: OutboxCommand): CommandText {
  switch (command.kind) {
    case 'status':
      return { title: STATUSES[command.to], icon: command.to === 'completed' ? 'check' : 'play' }
    case 'on_my_way':
      return { title: `On my way, there in ${formatDuration(command.etaMinutes)}`, icon: 'pin' }
    case 'late':
      return { title: `Running ${formatDuration(command.minutes)} late`, icon: 'clock' }
    case 'note':
      return { title: 'Note', icon: 'pencil', body: command.body }
    case 'check':
      return { title: command.done ? 'Ticked on the checklist' : 'Tick taken away', icon: 'check-circle' }
    case 'photo':
      return {
        title: `Photo, ${FILE_MOMENTS[command.moment].toLowerCase()}`,
        icon: 'camera',
        ...(command.caption ? { body: command.caption } : {}),
      }
    case 'message': {
      const { label, icon } = MESSAGE_CHANNELS[command.message.channel]
      return { title: label, icon, body: command.message.body }
    }
    case 'lead_stage':
      return { title: `Moved to ${LEAD_STAGES[command.to].label}`, icon: LEAD_STAGES[command.to].icon }
    case 'customer':
      return { title: 'Customer changed', icon: 'user', body: describeCustomerEdit(command.change) }
  }
}
