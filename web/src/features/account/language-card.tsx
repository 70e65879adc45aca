// Language of the app for this person, on every device.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { currentUserKey } from '@/api/current-user-key'
import { useOnline } from '@/lib/hooks/use-online'
import { currentLanguage, type Language, t } from '@/lib/i18n'
import { switchLanguage } from '@/lib/i18n/switch-language'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { ChipChoice } from '@/ui/chip-choice'
import { accountMessages } from './messages'

/** Each in its own language. */
const LANGUAGES = [
  { value: 'en', label: 'English', lang: 'en' },
  { value: 'es', label: 'Español', lang: 'es' },
] as const satisfies readonly { value: Language; label: string; lang: string }[]

const FAILURE = { title: t('Not saved'), description: t('It did not work. Please try again.') } as const

/** The page is loaded again in the language, once the account has it. */
function useSaveLanguage() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (language: Language) => unwrap(api.PUT('/api/account/language', { body: { language } })),
    meta: { success: { title: t('Saved') }, failure: FAILURE },
    onSuccess: async (_nothing, language) => {
      switchLanguage(language)
      if (language === currentLanguage()) await queryClient.invalidateQueries({ queryKey: currentUserKey })
    },
  })
}

export function LanguageCard() {
  const user = useCurrentUser()
  const [chosen, setChosen] = useState<Language>(user.language ?? currentLanguage())
  const save = useSaveLanguage()
  const isOnline = useOnline()
  const isSaved = chosen === user.language && chosen === currentLanguage()
  return (
    <Card title={t('Language')} icon="message">
      <fieldset disabled={!isOnline || save.isPending} className="grid min-w-0 justify-items-start gap-4">
        <p className="text-muted">
          {t('Toolbox is in this language wherever you sign in. Customers get messages in their own.')}
        </p>
        <ChipChoice legend={t('Language')} chips={LANGUAGES} value={chosen} onChange={setChosen} />
        <Button
          disabled={isSaved}
          pending={save.isPending}
          pendingText={t('Saving...')}
          onClick={() => save.mutate(chosen)}
        >
          {t('Save language')}
        </Button>
      </fieldset>
      {!isOnline && <p className="mt-4 text-note text-warning">{accountMessages.offline}</p>}
    </Card>
  )
}
