import { useState } from 'react'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Field } from '@/ui/field'
import { adminMessages } from '../messages'
import { useDownloadReport } from '../mutations'

const texts = adminMessages.compliance
const MAX_NAME_LENGTH = 100

export function ComplianceCard() {
  const [organisation, setOrganisation] = useState<string>(texts.organisation)
  const download = useDownloadReport()
  const name = organisation.trim()
  return (
    <Card title={texts.title} icon="document">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (name !== '') download.mutate(name)
        }}
      >
        <p className="text-note text-muted">
          {t('Every control as it is found now, with what is not in place. Saved as a markdown file.')}
        </p>
        <Field label={t('Organization Name')} required unmarked>
          {(aria) => (
            <input
              className="input"
              maxLength={MAX_NAME_LENGTH}
              value={organisation}
              onChange={(event) => setOrganisation(event.target.value)}
              {...aria}
            />
          )}
        </Field>
        <Button
          type="submit"
          icon="download"
          wide
          disabled={name === ''}
          pending={download.isPending}
          pendingText={t('Generating...')}
        >
          {texts.download}
        </Button>
      </form>
    </Card>
  )
}
