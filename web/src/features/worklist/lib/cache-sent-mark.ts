// Shows a mark that was sent from this device, before the list is fetched again.
import type { QueryClient } from '@tanstack/react-query'
import type { OfficeCommand } from '@/offline/outbox/entry'
import { worklistQueries } from '../queries'
import { changeCount, changeLists, withAssignee, withoutItem } from './work-list-cache'

export function cacheSentMark(client: QueryClient, orgId: string, key: string, command: OfficeCommand): void {
  if (command.kind === 'work_assign') changeLists(client, orgId, (data) => withAssignee(data, key, command.to))
  if (command.kind !== 'work_done' && command.kind !== 'work_snooze') return
  changeLists(client, orgId, (data) => withoutItem(data, key))
  client.setQueryData(worklistQueries.count(orgId).queryKey, (known) => changeCount(known, -1))
}
