// Texts of outbox commands.
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import { FILE_MOMENTS } from '@/domain/job'
import { LEAD_STAGES } from '@/domain/lead'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDuration } from '@/lib/format/duration'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import {
  type CustomerEdit,
  isOfficeCommand,
  type OfficeCommand,
  type OutboxCommand,
  type TeamMember,
} from '@/offline/outbox/entry'

type CommandText = { title: string; icon: IconName; /** What was written. */ body?: string }

const EDIT_LABELS = {
  name: t('Name'),
  phone: t('Phone'),
  email: t('Email'),
  language: t('Language'),
  isStaff: t('Staff or relative'),
  hasComplaint: t('There is a problem'),
} as const satisfies Record<keyof CustomerEdit, string>

/** `Phone: (312) 555-0142`, one field a line. */
export function describeCustomerEdit(change: CustomerEdit): string {
  const fields = Object.keys(EDIT_LABELS) as (keyof CustomerEdit)[]
  return fields
    .filter((field) => change[field] !== undefined)
    .map((field) => `${EDIT_LABELS[field]}: ${describeValue(field, change[field])}`)
    .join('\n')
}

function describeValue(field: keyof CustomerEdit, value: string | boolean | null | undefined): string {
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (!value) return field === 'language' ? ANY_LANGUAGE : t('removed')
  return field === 'language' ? LANGUAGES[value as keyof typeof LANGUAGES] : value
}

const STATUSES = { scheduled: t('Not started after all'), in_progress: t('Started'), completed: t('Done') } as const

const describeOwner = (to: TeamMember | null): string =>
  to ? t('Assigned to {name}', { name: to.name }) : t('Assigned to no one')

type PropertyCommand = Extract<OfficeCommand, { kind: 'property' }>

function describeProperty({ propertyId, address, change }: PropertyCommand): CommandText {
  const isNew = propertyId === undefined
  return {
    title: isNew ? t('Place added: {address}', { address }) : t('Place changed: {address}', { address }),
    icon: 'pin',
    ...(change.notes ? { body: change.notes } : {}),
  }
}

function describeOfficeCommand(command: OfficeCommand): CommandText {
  switch (command.kind) {
    case 'message': {
      const { label, icon } = MESSAGE_CHANNELS[command.message.channel]
      return { title: label, icon, body: command.message.body }
    }
    case 'lead_stage': {
      const { label, icon } = LEAD_STAGES[command.to]
      return { title: t('Moved to {stage}', { stage: label }), icon }
    }
    case 'customer':
      return { title: t('Customer changed'), icon: 'user', body: describeCustomerEdit(command.change) }
    case 'property':
      return describeProperty(command)
    case 'review_reply':
      return command.text === null
        ? { title: t('Answer to a review removed'), icon: 'star' }
        : { title: t('Answer to a review'), icon: 'star', body: command.text }
    case 'lead_owner':
    case 'work_assign':
      return { title: describeOwner(command.to), icon: 'user' }
    case 'work_done':
      return { title: t('Marked as done'), icon: 'check' }
    case 'work_snooze':
      return { title: t('Snoozed'), icon: 'moon' }
  }
}

export function describeCommand(command: OutboxCommand): CommandText {
  if (isOfficeCommand(command)) return describeOfficeCommand(command)
  switch (command.kind) {
    case 'status':
      return { title: STATUSES[command.to], icon: command.to === 'completed' ? 'check' : 'play' }
    case 'on_my_way':
      return {
        title: t('On my way, there in {duration}', { duration: formatDuration(command.etaMinutes) }),
        icon: 'pin',
      }
    case 'late':
      return { title: t('Running {duration} late', { duration: formatDuration(command.minutes) }), icon: 'clock' }
    case 'note':
      return { title: t('Note'), icon: 'pencil', body: command.body }
    case 'check':
      return { title: command.done ? t('Ticked on the checklist') : t('Tick taken away'), icon: 'check-circle' }
    case 'photo':
      return {
        title: t('Photo, {moment}', { moment: FILE_MOMENTS[command.moment].toLowerCase() }),
        icon: 'camera',
        ...(command.caption ? { body: command.caption } : {}),
      }
  }
}
