// What is said where there is no page, with the way on from there.
import type { ReactNode } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { EmptyState } from '@/ui/empty-state'

export function NotFound({ action }: { action: ReactNode }) {
  useDocumentTitle('Page Not Found')
  return (
    <EmptyState headingLevel={1} icon="search" title="Page Not Found" action={action}>
      <p>There is nothing at this address. The link may be old, or mistyped.</p>
    </EmptyState>
  )
}
