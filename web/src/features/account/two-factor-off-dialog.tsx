import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRemoveTwoFactor } from './queries'

export function TwoFactorOffDialog({ onClose }: { onClose: () => void }) {
  const remove = useRemoveTwoFactor()
  return (
    <Dialog
      open
      title={t('Turn off two-step sign-in?')}
      onClose={onClose}
      actions={
        <>
          <Button
            variant="danger"
            pending={remove.isPending}
            pendingText={t('Turning off...')}
            onClick={() => remove.mutate(undefined, { onSuccess: onClose })}
          >
            {t('Turn off')}
          </Button>
          <Button onClick={onClose}>{t('Keep it on')}</Button>
        </>
      }
    >
      <p>{t('From then on your password alone opens your account. Your recovery codes stop working.')}</p>
    </Dialog>
  )
}
