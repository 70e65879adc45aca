// Data export as a plain link for browser progress, preceded by reauthentication.
import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { reauthPrompt } from '@/api/reauth-prompt'
import { downloadFrom } from '@/lib/download'
import { t } from '@/lib/i18n'
import { ExternalButton } from '@/ui/button'

const EXPORT_PATH = '/api/organization/export'

/** Whether they have proved it by now. */
async function isReauthenticated(): Promise<boolean> {
  const { isFresh } = await unwrap(api.GET('/api/account'))
  return isFresh || reauthPrompt.ask()
}

export function ExportDataButton({ wide }: { wide?: boolean }) {
  const ask = useMutation({
    mutationFn: isReauthenticated,
    onSuccess: (may) => {
      if (may) downloadFrom(EXPORT_PATH)
    },
    meta: { failure: { title: t('Not downloaded'), description: t('It did not work. Please try again.') } },
  })
  const go = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (!ask.isPending) ask.mutate()
  }
  return (
    <ExternalButton
      href={EXPORT_PATH}
      download
      icon="download"
      variant="secondary"
      {...(wide ? { wide } : {})}
      onClick={go}
    >
      {t('Download everything')}
    </ExternalButton>
  )
}
