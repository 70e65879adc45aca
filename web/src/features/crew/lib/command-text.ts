// Texts of outbox commands.
import type { IconName } from '@/ui/icon'
import { FILE_MOMENTS } from '@/domain/job'
import { formatDuration } from '@/lib/format/duration'
import type { OutboxCommand } from '@/offline/outbox/entry'

type CommandText = { title: string; icon: IconName; /** What was written. */ body?: string }

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
  }
}
