// Screen in place of the demonstration: being set up, unreachable, or not available.
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

function DemoMessage({ icon, title, children, action }: PlaceProps) {
  useDocumentTitle('Demonstration')
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState headingLevel={1} icon={icon} title={title} action={action}>
        {children}
      </EmptyState>
    </main>
  )
}

const LeaveDemoButton = () => (
  <ExternalButton href={paths.home} variant="ghost" icon="arrow-left">
    Leave the demonstration
  </ExternalButton>
)

function describeDemoError(error: Error): { icon: IconName; title: string; description: string } {
  if (error instanceof NetworkError) return { icon: 'offline', ...describeError(error) }
  const serverMessage = error instanceof ApiError ? error.detail : ''
  return {
    icon: 'clock',
    title: 'The demonstration is being set up',
    description: serverMessage || 'Its people and their jobs are being put in place. That takes a moment.',
  }
}

export function DemoStarting({ error }: { error: Error }) {
  const { icon, title, description } = describeDemoError(error)
  return (
    <DemoMessage icon={icon} title={title} action={<LeaveDemoButton />}>
      <p>{description}</p>
      <p role="status" className="mt-3 flex items-center justify-center gap-2">
        <Spinner size="small" />
        Trying again by itself...
      </p>
    </DemoMessage>
  )
}

function NoDemo() {
  return (
    <DemoMessage
      icon="info"
      title="This Toolbox has no demo"
      action={
        <ExternalButton href={paths.login()} wide>
          Sign in
        </ExternalButton>
      }
    >
      <p>You can sign in to your business.</p>
    </DemoMessage>
  )
}

/** No automatic retry: the failure needs a person's retry. */
export function DemoUnavailable({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error === null || (error instanceof ApiError && error.status === 404)) return <NoDemo />
  const { title, description } = describeError(error)
  return (
    <DemoMessage
      icon="alert"
      title={title}
      action={
        <>
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
          <LeaveDemoButton />
        </>
      }
    >
      <p>{description}</p>
    </DemoMessage>
  )
}
