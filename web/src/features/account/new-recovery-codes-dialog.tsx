import { RecoveryCodes } from '@/features/two-factor/recovery-codes'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRenewRecoveryCodes } from './queries'

export function NewRecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const renew = useRenewRecoveryCodes()
  return (
    <Dialog open title={t('New recovery codes')} onClose={onClose}>
      {renew.data ? (
        <RecoveryCodes codes={renew.data.recoveryCodes} done={t('I have kept them')} onDone={onClose} />
      ) : (
        <div className="grid gap-4">
          <p>{t('The codes you have kept so far stop working.')}</p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button pending={renew.isPending} pendingText={t('Making them...')} onClick={() => renew.mutate()}>
              {t('Make new codes')}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
