// Instead of the demonstration's screens: it is being set up, cannot be reached, or is not what the server answers with.
import type { ReactNode } from 'react'
import { ApiError, NetworkError } from '@/api/client'
import { describeError } from '@/api/errors'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { Button, ExternalButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import type { IconName } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'

type PlaceProps = { icon: IconName; title: string; children: ReactNode; action: ReactNode }

function Place({ icon, title, children, action }: PlaceProps) {
  useDocumentTitle('Demonstration')
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState headingLevel={1} icon={icon} title={title} action={action}>
        {children}
      </EmptyState>
    </main>
  )
}

const Leave = () => (
  <ExternalButton href={paths.home} variant="ghost" icon="arrow-left">
    Leave the demonstration
  </ExternalButton>
)

function wordsOf(error: Error): { icon: IconName; title: string; description: string } {
  if (error instanceof NetworkError) return { icon: 'offline', ...describeError(error) }
  const said = error instanceof ApiError ? error.detail : ''
  return {
    icon: 'clock',
    title: 'The demonstration is being set up',
    description: said || 'Its people and their jobs are being put in place. That takes a moment.',
  }
}

/** It will be there in a moment: this screen goes by itself. */
export function WaitingForDemo({ error }: { error: Error }) {
  const { icon, title, description } = wordsOf(error)
  return (
    <Place icon={icon} title={title} action={<Leave />}>
      <p>{description}</p>
      <p role="status" className="mt-3 flex items-center justify-center gap-2">
        <Spinner size="small" />
        Trying again by itself...
      </p>
    </Place>
  )
}

/** It failed, or the server knows of no demonstration: only a person's next try, or another day, can mend that. */
export function NoDemo({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const isNone = error instanceof ApiError && error.status === 404
  const { title, description } =
    error && !isNone
      ? describeError(error)
      : {
          title: 'There is no demonstration here',
          description: 'The server at this address does not show one right now.',
        }
  return (
    <Place
      icon="alert"
      title={title}
      action={
        <>
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
          <Leave />
        </>
      }
    >
      <p>{description}</p>
    </Place>
  )
}
