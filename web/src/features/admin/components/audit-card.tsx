// Audit log card: count, table with search and export, verification.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { toast } from '@/ui/toast/toast-store'
import { adminMessages } from '../messages'
import { adminQueries } from '../queries'
import { AuditTable } from './audit-table'
import { VerifyAuditLog } from './verify-audit-log'

const texts = adminMessages.audit

export function AuditCard() {
  const { orgId, role, isPlatformAdmin } = useCurrentUser()
  const client = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  // Fetched on press only: the toast reports the result.
  const log = useInfiniteQuery({ ...adminQueries.auditLog(orgId, {}), enabled: isOpen })

  const open = async () => {
    try {
      const { pages } = await client.fetchInfiniteQuery(adminQueries.auditLog(orgId, {}))
      const total = pages[0]?.total ?? 0
      toast.success(texts.loadedTitle, texts.loaded(formatCount(total), total === 1))
      // Who works with the browser's own tools finds the details there, beside the table.
      // oxlint-disable-next-line no-console -- the product writes the details to the console
      console.info(texts.console, pages[0])
      setIsOpen(true)
    } catch {
      // Whatever it was, the product has one sentence for it; the session's end is reported by the query client.
      toast.error(texts.failed.title, texts.failed.description)
    }
  }

  return (
    <Card title={texts.title} icon="clock">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="text-note text-muted">
          {t(
            'Who did what, when and from where. Each line is chained to the one before it, so no one can change it unseen.',
          )}
        </p>
        <div className="flex flex-wrap gap-3">
          <Button
            variant={isOpen ? 'secondary' : 'primary'}
            icon="eye"
            pending={log.isFetching && !isOpen}
            onClick={() => void open()}
          >
            {texts.open}
          </Button>
        </div>
        {/* Without permission only the button is shown, which says so. */}
        {(role === 'owner' || isPlatformAdmin) && <VerifyAuditLog />}
        {isOpen && <AuditTable />}
      </div>
    </Card>
  )
}
