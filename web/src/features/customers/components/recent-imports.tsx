// Imports of the last day, with undo.
import { useQuery } from '@tanstack/react-query'
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { useUndoImport } from '../import-mutations'
import { customerQueries } from '../queries'

export function RecentImports() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { data = [] } = useQuery(customerQueries.imports(orgId))
  const undo = useUndoImport()
  if (data.length === 0) return null
  return (
    <ul aria-label={t('Imports that can be undone')} className="grid gap-2">
      {data.map(({ id, at, customers }) => (
        <li
          key={id}
          className="flex flex-wrap items-center justify-between gap-2 rounded-field border border-primary/22 px-3 py-2"
        >
          <p className="text-note">
            {plural(customers, '{count} customer imported {at}', '{count} customers imported {at}', {
              at: formatDateTime(at, orgTimezone),
            })}
          </p>
          <Button
            variant="ghost"
            icon="undo"
            pending={undo.isPending}
            pendingText={t('Undoing...')}
            onClick={() => undo.mutate(id)}
          >
            {t('Undo import')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
