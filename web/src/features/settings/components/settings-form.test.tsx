import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { ApiError } from '@/api/client'
import { NumberField } from '@/ui/number-field'
import { SwitchField } from '@/ui/switch-field'
import { TextField } from '@/ui/field'
import { renderWithApp } from '@/testing/render-app'
import { replaceText } from '@/testing/replace-text'
import { SettingsForm } from './settings-form'

const schema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'Enter a name')),
  seconds: z.number('Enter a number').check(z.minimum(10, 'Enter at least 10')),
  isOn: z.boolean(),
})
type Values = z.infer<typeof schema>
type Save = (changed: Partial<Values>) => Promise<Partial<Values>>

const first: Values = { name: 'Acme', seconds: 20, isOn: false }

/** Keeps what is saved, as the query cache does. */
function Example({ onSave }: { onSave: Save }) {
  const [saved, setSaved] = useState(first)
  const save: Save = async (changed) => {
    const next = await onSave(changed)
    setSaved((known) => ({ ...known, ...next }))
    return next
  }
  return (
    <>
      <SettingsForm label="Example" part="calls" schema={schema} saved={saved} onSave={save}>
        {(form) => (
          <>
            <TextField form={form} name="name" label="Name" required />
            <NumberField form={form} name="seconds" label="Ring for" unit="seconds" min={10} max={40} />
            <SwitchField form={form} name="isOn" label="Reminder" />
          </>
        )}
      </SettingsForm>
      <button type="button" onClick={() => setSaved({ ...saved, seconds: 33 })}>
        Another device
      </button>
    </>
  )
}

function open(onSave: Save = keepAll()) {
  const { user } = renderWithApp(<Example onSave={onSave} />)
  return { user, name: screen.getByRole('textbox'), seconds: screen.getByRole('spinbutton'), onSave }
}

function keepAll() {
  let all = first
  return vi.fn<Save>(async (changed) => {
    all = { ...all, ...changed }
    return all
  })
}

it('text: saved on leaving the field, named, and undone', async () => {
  const { user, name, onSave } = open()
  await replaceText(user, name, 'Acme & Sons')
  await user.tab()
  expect(await screen.findByText('Saved. Name: Acme & Sons')).toBeInTheDocument()
  expect(onSave).toHaveBeenLastCalledWith({ name: 'Acme & Sons' })
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('Saved. Name: Acme')).toBeInTheDocument()
  expect(onSave).toHaveBeenLastCalledWith({ name: 'Acme' })
  expect(name).toHaveValue('Acme')
})

it('text: saved after a pause too', async () => {
  const { user, name, onSave } = open()
  await user.type(name, '!')
  await waitFor(() => expect(onSave).toHaveBeenCalledExactlyOnceWith({ name: 'Acme!' }))
})

it('switch: saved at once, alone', async () => {
  const { user, onSave } = open()
  await user.click(screen.getByRole('switch'))
  expect(await screen.findByText('Saved. Reminder: On')).toBeInTheDocument()
  expect(onSave).toHaveBeenCalledExactlyOnceWith({ isOn: true })
})

it('invalid value: not saved, and explained once the field is left; other fields are saved', async () => {
  const { user, seconds, onSave } = open()
  await user.clear(seconds)
  await user.type(seconds, '5')
  await user.tab()
  expect(await screen.findByText('Enter at least 10')).toBeInTheDocument()
  await user.click(screen.getByRole('switch'))
  await waitFor(() => expect(onSave).toHaveBeenCalledExactlyOnceWith({ isOn: true }))
  expect(seconds).toHaveValue(5)
  expect(await screen.findByText('Not saved yet')).toBeInTheDocument()
})

it('server error: at its field, with what was typed, and tried again on demand', async () => {
  const refused = new ApiError({ status: 422, detail: 'no', errors: { 'calls.name': 'This name is taken' } })
  const onSave = vi.fn<Save>().mockRejectedValue(refused)
  const { user, name } = open(onSave)
  await replaceText(user, name, 'Acme 2')
  await user.tab()
  expect(await screen.findByText('This name is taken')).toBeInTheDocument()
  expect(name).toHaveValue('Acme 2')
  onSave.mockResolvedValue({ ...first, name: 'Acme 2' })
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Saved. Name: Acme 2')).toBeInTheDocument()
  expect(screen.queryByText('This name is taken')).not.toBeInTheDocument()
})

it('change of another device: taken over, except where something is typed; Undo keeps it', async () => {
  const { user, seconds } = open()
  await user.clear(seconds)
  await user.type(seconds, '25')
  await user.tab()
  expect(await screen.findByText('Saved. Ring for: 25 seconds')).toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Another device' }))
  await waitFor(() => expect(seconds).toHaveValue(33))
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('Someone changed this setting again. Their change stays.')).toBeInTheDocument()
  expect(seconds).toHaveValue(33)
})

it('answer with the saved field only: the other fields stay as they were saved', async () => {
  const onSave = vi.fn<Save>(async (changed) => changed)
  const { user, name, seconds } = open(onSave)
  await replaceText(user, name, 'Acme & Sons')
  await user.tab()
  expect(await screen.findByText('Saved. Name: Acme & Sons')).toBeInTheDocument()
  await user.click(screen.getByRole('switch'))
  expect(await screen.findByText('Saved. Reminder: On')).toBeInTheDocument()
  expect(onSave.mock.calls).toEqual([[{ name: 'Acme & Sons' }], [{ isOn: true }]])
  expect(name).toHaveValue('Acme & Sons')
  expect(seconds).toHaveValue(20)
})

type NumberedSave = (changed: Partial<Values>, render: number) => Promise<Partial<Values>>

/** Saves with the number of its render, which the button raises. */
function Numbered({ onSave }: { onSave: NumberedSave }) {
  const [render, setRender] = useState(1)
  return (
    <>
      <SettingsForm label="Example" schema={schema} saved={first} onSave={(changed) => onSave(changed, render)}>
        {(form) => (
          <>
            <TextField form={form} name="name" label="Name" required />
            <SwitchField form={form} name="isOn" label="Reminder" />
          </>
        )}
      </SettingsForm>
      <button type="button" onClick={() => setRender(2)}>
        Render
      </button>
    </>
  )
}

it('change that waits for another save: sent by the newest render', async () => {
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const onSave = vi.fn<NumberedSave>(async (changed) => {
    await held
    return changed
  })
  const { user } = renderWithApp(<Numbered onSave={onSave} />)
  await replaceText(user, screen.getByRole('textbox'), 'Acme & Sons')
  await user.tab()
  await waitFor(() => expect(onSave).toHaveBeenCalledExactlyOnceWith({ name: 'Acme & Sons' }, 1))
  await user.click(screen.getByRole('switch'))
  await user.click(screen.getByRole('button', { name: 'Render' }))
  answer()
  await waitFor(() => expect(onSave).toHaveBeenLastCalledWith({ isOn: true }, 2))
})
