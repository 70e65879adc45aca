// Logout button. Asks first while the outbox has entries; in the demonstration it is a link out.
import { useState } from 'react'
import { isDemoMode } from '@/lib/demo'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'
import { useLogout } from '@/features/session/mutations'
import { Button, ExternalButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'

export function LogoutButton() {
  return isDemoMode() ? (
    <ExternalButton href={paths.home} variant="ghost" icon="logout" wide className="justify-start">
      {t('Leave the demo')}
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
        pendingText={t('Logging out...')}
        onClick={() => (unsent > 0 ? setIsAsking(true) : logout.mutate())}
      >
        {t('Logout')}
      </Button>
      <Dialog
        open={isAsking && unsent > 0}
        onClose={() => setIsAsking(false)}
        title={t('Not everything has been sent')}
        actions={
          <>
            <Button
              variant="danger"
              pending={isPending}
              pendingText={t('Logging out...')}
              onClick={() => logout.mutate()}
            >
              {t('Log out and lose it')}
            </Button>
            <Button onClick={() => setIsAsking(false)}>{t('Stay signed in')}</Button>
          </>
        }
      >
        <p>
          {plural(
            unsent,
            'One thing is kept on this device alone: messages, notes, photos or changes. Logging out deletes it. With a connection it is sent first, without your doing anything.',
            '{count} things are kept on this device alone: messages, notes, photos or changes. Logging out deletes them. With a connection they are sent first, without your doing anything.',
          )}
        </p>
      </Dialog>
    </>
  )
}
