// Template in two languages; both keep their drafts.
import { useState } from 'react'
import type { Language } from '@/domain/customer'
import { t } from '@/lib/i18n'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import type { Template } from '../types'
import { WordingEditor } from './wording-editor'

const LANGUAGES: readonly Tab<Language>[] = [
  { name: 'en', label: 'English' },
  { name: 'es', label: 'Español' },
]

export function TemplateEditor({ template }: { template: Template }) {
  const [language, setLanguage] = useState<Language>('en')
  const id = `wording-${template.kind}`
  const written = LANGUAGES.filter(({ name }) => template.wordings[name])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {written.length > 1 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <TabList
            label={t('Language of {title}', { title: template.title })}
            id={id}
            tabs={written}
            current={language}
            onChange={setLanguage}
            small
          />
          <p className="text-caption text-muted">{t('Chosen by the language each customer writes in')}</p>
        </div>
      )}
      {written.map(({ name }) => {
        const saved = template.wordings[name]
        const editor = saved && (
          <WordingEditor template={template} language={name} saved={saved} isShown={name === language} />
        )
        return written.length > 1 ? (
          <TabPanel key={name} id={id} name={name} hidden={name !== language}>
            {editor}
          </TabPanel>
        ) : (
          <div key={name}>{editor}</div>
        )
      })}
    </div>
  )
}
