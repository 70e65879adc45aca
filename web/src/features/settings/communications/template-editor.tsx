// A template in its two languages: one shown at a time, both keep what was typed.
import { useState } from 'react'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import type { Language, Template } from '../types'
import { WordingEditor } from './wording-editor'

const LANGUAGES: readonly Tab<Language>[] = [
  { name: 'en', label: 'English' },
  { name: 'es', label: 'Español' },
]

export function TemplateEditor({ template }: { template: Template }) {
  const [language, setLanguage] = useState<Language>('en')
  const id = `wording-${template.kind}`
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <TabList label={`Language of ${template.title}`} id={id} tabs={LANGUAGES} current={language} onChange={setLanguage} small />
        <p className="text-caption text-muted">Chosen by the language each customer writes in</p>
      </div>
      {LANGUAGES.map(({ name }) => (
        <TabPanel key={name} id={id} name={name} hidden={name !== language}>
          <WordingEditor template={template} language={name} isShown={name === language} />
        </TabPanel>
      ))}
    </div>
  )
}
