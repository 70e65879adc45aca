// The way out. What this phone has not sent yet would be lost with it, so that is asked about first. Who looks at the
// demonstration never signed in: they just leave.
import { useState } from 'react'
import { inDemo } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { useOutbox } from '@/offline/outbox/use-outbox'
import { useLogout } from '@/session/mutations'
import { Button, ExternalButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'

export function LogoutButton() {
  return inDemo() ? (
    <ExternalButton href={paths.home} variant="ghost" icon="logout" wide className="justify-start">
      Leave the demo
    </ExternalButton>
  ) : (
    <Logout />
  )
}

function Logout() {
  const logout = useLogout()
  const unsent = useOutbox().length
  const [isAsking, setIsAsking] = useState(false)
  // A success reloads the page: until then the button stays as it is while pending.
  const isPending = logout.isPending || logout.isSuccess
  return (
    <>
      <Button
        variant="ghost"
        icon="logout"
        wide
        className="justify-start"
        pending={isPending}
        pendingText="Logging out..."
        onClick={() => (unsent > 0 ? setIsAsking(true) : logout.mutate())}
      >
        Logout
      </Button>
      <Dialog
        open={isAsking && unsent > 0}
        onClose={() => setIsAsking(false)}
        title="Not everything has been sent"
        actions={
          <>
            <Button variant="danger" pending={isPending} pendingText="Logging out..." onClick={() => logout.mutate()}>
              Log out and lose it
            </Button>
            <Button onClick={() => setIsAsking(false)}>Stay signed in</Button>
          </>
        }
      >
        <p>
          {unsent === 1 ? 'One thing is' : `${unsent} things are`} kept on this phone alone: notes, photos or what you
          tapped on a job. Logging out deletes {unsent === 1 ? 'it' : 'them'}. With a connection{' '}
          {unsent === 1 ? 'it is' : 'they are'} sent first, without your doing anything.
        </p>
      </Dialog>
    </>
  )
}
