// Recovery codes, shown once, saved before continuing.
import { saveFile } from '@/lib/download'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'

const FILE = 'toolbox-recovery-codes.txt'

type RecoveryCodesProps = { codes: readonly string[]; done: string; onDone: () => void }

function saveCodesFile(codes: readonly string[]): void {
  const text = [
    t('Toolbox recovery codes. Each signs you in once, in place of a code of your app.'),
    '',
    ...codes,
    '',
  ].join('\n')
  saveFile(new Blob([text], { type: 'text/plain' }), FILE)
}

export function RecoveryCodes({ codes, done, onDone }: RecoveryCodesProps) {
  return (
    <div className="grid gap-4">
      <Notice tone="warning" title={t('Keep these codes where you would look without your phone')}>
        {t('Each signs you in once when your phone is lost. They are not shown again.')}
      </Notice>
      <ul aria-label={t('Recovery codes')} className="grid gap-x-6 gap-y-1 font-mono sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="secondary" icon="download" onClick={() => saveCodesFile(codes)}>
          {t('Save as a file')}
        </Button>
        <Button onClick={onDone}>{done}</Button>
      </div>
    </div>
  )
}
