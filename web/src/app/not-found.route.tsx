// No page at this address: what is said of it, with the ways on for who is signed in, and for who is not.
import type { ReactNode } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { ExternalButton, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

function NotFound({ action }: { action: ReactNode }) {
  useDocumentTitle('Page Not Found')
  return (
    <EmptyState headingLevel={1} icon="search" title="Page Not Found" action={action}>
      <p>There is nothing at this address. The link may be old, or mistyped.</p>
    </EmptyState>
  )
}

export function Component() {
  return <NotFound action={<LinkButton to={paths.leads} icon="arrow-left">Back to leads</LinkButton>} />
}

export function ForVisitors() {
  const ways = (
    <div className="flex flex-wrap justify-center gap-3">
      <ExternalButton href={paths.home} icon="arrow-left">Back to Home</ExternalButton>
      <LinkButton to={paths.login()} variant="secondary">Login</LinkButton>
    </div>
  )
  return <NotFound action={ways} />
}
