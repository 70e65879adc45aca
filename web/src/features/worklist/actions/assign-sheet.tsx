import { useQuery } from '@tanstack/react-query'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { getName } from '../lib/describe-item'
import { worklistMessages as texts } from '../messages'
import type { WorkAssignment, WorkItem } from '../types'

type AssignSheetProps = { item: WorkItem; onClose: () => void; onPick: (to: WorkAssignment['to']) => void }

export function AssignSheet({ item, onClose, onPick }: AssignSheetProps) {
  const { orgId, id: ownId } = useCurrentUser()
  const team = useQuery(peopleQueries.team(orgId))
  const pick = (to: WorkAssignment['to']) => {
    onClose()
    onPick(to)
  }
  return (
    <Dialog open onClose={onClose} title={t('Assign {name}', { name: getName(item) })}>
      <QueryBoundary
        query={team}
        skeleton={<SkeletonLines lines={3} />}
        errorText={texts.assigned.teamFailed}
        saysOffline
      >
        {(members) => (
          <ul className="grid gap-2">
            {members
              .filter(({ isActive }) => isActive)
              .map(({ id, name }) => (
                <li key={id}>
                  <Button
                    variant="secondary"
                    icon={item.assignee?.id === id ? 'check' : 'user'}
                    wide
                    className="justify-start wrap-anywhere"
                    aria-pressed={item.assignee?.id === id}
                    onClick={() => pick({ id, name })}
                  >
                    {id === ownId ? t('{name} (you)', { name }) : name}
                  </Button>
                </li>
              ))}
            {item.assignee && (
              <li>
                <Button variant="secondary" icon="close" wide className="justify-start" onClick={() => pick(null)}>
                  {texts.assigned.nobody}
                </Button>
              </li>
            )}
          </ul>
        )}
      </QueryBoundary>
    </Dialog>
  )
}
