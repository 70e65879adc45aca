import { fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderWithApp } from '@/testing/render-app'
import { ChipEditor } from './chip-editor'
import { parseWording, serializeWording } from './wording-segments'

const allowed = ['businessName', 'customerName', 'bookingLink'].map((name) => ({
  name,
  description: name,
  example: name,
}))

function Example({ raw }: { raw: string }) {
  const [wording, setWording] = useState(raw)
  return (
    <>
      <ChipEditor
        label="Message"
        lang="en"
        rows={4}
        isInvalid={false}
        allowed={allowed as never}
        segments={parseWording(wording) ?? []}
        onChange={(segments) => setWording(serializeWording(segments))}
      />
      <output>{wording}</output>
    </>
  )
}

const raw = () => screen.getByRole('status').textContent

it('chips: shown by name, inserted at the caret, deleted whole', async () => {
  const { user } = renderWithApp(<Example raw="Hi {{ customerName }}!" />)
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
  expect(field).toHaveValue('Hi \u2068Customer’s first name\u2069!')
  field.setSelectionRange(0, 0)
  await user.click(screen.getByRole('button', { name: 'Insert Business name' }))
  expect(raw()).toBe('{{ businessName }}Hi {{ customerName }}!')
  const { value } = field
  fireEvent.change(field, { target: { value: value.replace('\u2069!', '!') } })
  expect(raw()).toBe('{{ businessName }}Hi !')
})

it('condition: added, worded, chosen and removed', async () => {
  const { user } = renderWithApp(<Example raw="Hello." />)
  await user.click(screen.getByRole('textbox', { name: 'Message' }))
  await user.keyboard('{End}')
  await user.click(screen.getByRole('button', { name: 'Add “only if …”' }))
  const condition = within(screen.getByRole('group', { name: 'Condition 1' }))
  await user.selectOptions(condition.getByRole('combobox', { name: 'Only if' }), 'there is: Booking link')
  await user.type(condition.getByRole('textbox', { name: 'Say' }), ' Book:')
  expect(raw()).toBe('Hello.{% if bookingLink %} Book:{% endif %}')
  await user.click(condition.getByRole('button', { name: 'Add “otherwise …”' }))
  await user.type(condition.getByRole('textbox', { name: 'Otherwise say' }), ' Call.')
  expect(raw()).toBe('Hello.{% if bookingLink %} Book:{% else %} Call.{% endif %}')
  await user.click(condition.getByRole('button', { name: 'Remove condition 1' }))
  expect(raw()).toBe('Hello.')
})

it('substitute of a missing value: a field of its own, without quotes and braces', async () => {
  const { user } = renderWithApp(<Example raw={'Hi {{ customerName or "there" }}'} />)
  await user.type(screen.getByRole('textbox', { name: 'Without “Customer’s first name”, say' }), '"}!')
  expect(raw()).toBe('Hi {{ customerName or "there!" }}')
})
