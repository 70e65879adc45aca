// Toast after a setting was saved, with ten seconds to undo.
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { settingsMessages as texts } from './messages'

const UNDO_MS = 10_000

export const toastUndo = {
  offer: (onAction: () => void, description: string = texts.saved.description) => {
    toast.show(texts.saved.title, { description, durationMs: UNDO_MS, action: { label: t('Undo'), onAction } })
  },
  refused: () => {
    toast.show(texts.notUndone.title, { description: texts.notUndone.description, variant: 'info' })
  },
}
