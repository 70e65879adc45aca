// Logout button. Asks first while the outbox has entries; in the demonstration it is a link out.
import { useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { useLogout } from '@/features/session/mutations'
import { Button, ExternalButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'

export function LogoutButton() {
  return isDemoMode() ? (
    <ExternalButton href={paths.home} variant="ghost" icon="logout" wide className="justify-start">
      Leave the demo
    </ExternalButton>
  ) : (
    <LogoutDialog />
  )
}

function LogoutDialog() {
  const logout = useLogout()
  const unsent = useOutboxEntries().length
  const [isAsking, setIsAsking] = useState(false)
  // Success reloads the page; the button stays pending until then.
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
          {unsent === 1 ? 'One thing is' : `${unsent} things are`} kept on this device alone: messages, notes, photos or
          changes. Logging out deletes {unsent === 1 ? 'it' : 'them'}. With a connection{' '}
          {unsent === 1 ? 'it is' : 'they are'} sent first, without your doing anything.
        </p>
      </Dialog>
    </>
  )
}
