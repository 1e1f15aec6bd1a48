// Follows a script over its syntax tree as far as its values are constant, to learn what it would write into the page. Nothing of it
// is run: there are no objects of the browser, only what is known and what is not. Where a condition is not known, both ways are
// followed; a loop that is not known is followed once. Every step is counted.
import type { AnyNode, AssignmentExpression, CallExpression, MemberExpression, NewExpression, Pattern } from 'acorn'
import { type Builtin, functions, linearPattern, listMethods, numberToText, textMethods } from './builtins.ts'
import {
  asBoolean,
  asNumber,
  assign,
  asText,
  disguiseOf,
  type FunctionNode,
  HOLE,
  joinTexts,
  list,
  lookUp,
  newScope,
  number,
  type Scope,
  type Text,
  text,
  UNKNOWN,
  unknown,
  type Value,
} from './value.ts'

/** What becomes of a script's dealings with the browser. */
export interface Host {
  /** A call of something of the browser, or a method of something unknown. Null if it means nothing: the call is then unknown. */
  call(callee: Callee, args: readonly Value[], follow: Follow): Value | null
  /** An assignment to a member of what is not the script's own, or to a global variable of the browser. */
  assign(member: string, value: Value, on: Value, follow: Follow): void
  /** Reads a member of an element or of something of the browser; null if it is not known. */
  read(on: Value, member: string): Value | null
}

/** Follows a function of the script. */
export type Follow = (callable: Value, args: readonly Value[]) => Value

export interface Callee {
  /** The path of something of the browser, such as `document.write`; null for methods of other values. */
  readonly path: string | null
  /** The name of the method or function. */
  readonly name: string
  readonly on: Value
  readonly isNew: boolean
}

/** Steps of one page's scripts: a decoder's loop takes some ten for a character. */
export const MOST_STEPS = 1_000_000
/** Calls and expressions within each other: authored code has few, and the stack has room for more. */
const DEEPEST = 150
/** Characters that are copied or compared in the time of a step. */
const COPY_CHARACTERS = 64
/** Characters that a function or method of the language converts in the time of a step, at least. */
const CONVERSION_CHARACTERS = 8
/** Steps for a call of the browser's, which may be one of many kinds. */
const OF_BROWSER = 8
/** Functions that take long for each character. */
const DEAR = new Set(['JSON.parse', 'escape', 'encodeURIComponent'])
/** Methods that look for a text or a pattern. */
const SEARCHING = new Set(['indexOf', 'split', 'match', 'replace', 'replaceAll'])
/** Methods that take as long for a list of any length. */
const AT_ENDS = new Set(['push', 'pop'])

/** Characters of a variable. */
const LONGEST_NAME = 256

/** Rounds of one loop. */
const MOST_ROUNDS = 256 * 1024

/** How far the scripts of a page have come. */
export interface Course {
  /** Steps that they may still take. */
  steps: number
  /** Conditions around the step, or before it, that are not known: whether it is taken is not known either. */
  doubts: number
  /** That the timers around the step wait. */
  waited_ms: number
}

/** Thrown when no steps are left, and when the script stops itself. */
export class Exhausted extends Error {}

/** How a statement ended, if not by its end. */
type Completion = { readonly kind: 'break' | 'continue' } | { readonly kind: 'return'; readonly value: Value } | null

/** Methods that take positions: with one that is not known, nothing is known of the result. */
const POSITIONAL = new Set(['at', 'charAt', 'charCodeAt', 'codePointAt', 'slice', 'substring', 'substr'])

/** Names for the global object, which are left out of paths. */
const GLOBAL = new Set(['window', 'self', 'globalThis', 'top', 'parent', 'frames'])

/** From this many escapes on, a literal was written to be unreadable; authored text escapes single characters. */
const MANY_ESCAPES = 16
const ESCAPE =
  /\\(?:x(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|u00(?:3[0-9]|[46][1-9a-f]|[57][0-9a])|u\{(?:3[0-9]|[46][1-9a-f]|[57][0-9a])\})/gi

export class Interpreter {
  readonly #host: Host
  readonly #course: Course
  #depth = 0
  /** Texts whose characters lie in a row: a sum of texts is put in a row when it is read first, which walks over it. */
  readonly #inARow = new WeakSet<Value>()
  /** What generators that are being followed have given until now. */
  #yielded: Value[] = []
  /** Functions that are being followed, with the doubts at their first call. */
  readonly #entered = new Map<FunctionNode, number>()
  /** Literals are evaluated again in every round of a loop. */
  readonly #literals = new Map<AnyNode, Value>()
  #globals: Scope | null = null

  /** Passed to the host and to functions of the language. */
  readonly #follow: Follow = (callable, args) => {
    if (callable.kind === 'host') {
      const builtin = functions.get(callable.path)
      return builtin ? this.#callBuiltin(callable.path, builtin, args) : UNKNOWN
    }
    if (callable.kind !== 'function' || this.#depth >= DEEPEST) return UNKNOWN
    return this.#enter(callable.node, callable.scope, args)
  }

  constructor(host: Host, course: Course) {
    this.#host = host
    this.#course = course
  }

  #spend(steps: number): void {
    this.#course.steps -= steps
    if (this.#course.steps < 0) throw new Exhausted()
  }

  #step(): void {
    this.#spend(1)
  }

  /** What walks over a value takes steps by its length. */
  #charge(values: readonly Value[], charactersOfStep = COPY_CHARACTERS): void {
    for (const value of values) this.#spend(costOf(value, charactersOfStep))
  }

  /** What a call makes costs as much as what it walks over. */
  #charged<Made extends Value>(value: Made): Made {
    this.#charge([value], CONVERSION_CHARACTERS)
    return value
  }

  /** Looking for a text in another may compare each character of the one with each of the other. */
  #chargeSearch(whole: string, searchValue: Value | undefined): void {
    const needleLength = searchValue?.kind === 'text' ? searchValue.text.length : 1
    // Each character of the text may become an item.
    const isEach = searchValue?.kind === 'pattern' || needleLength === 0
    this.#spend((whole.length * needleLength) / COPY_CHARACTERS + (isEach ? whole.length / 2 : 0))
  }

  #charactersOf({ text: whole, disguise }: Text): Value[] {
    this.#spend(whole.length)
    return whole.split('').map(one => text(one, disguise))
  }

  #chargeOnce(value: Value): void {
    if (value.kind !== 'text' || this.#inARow.has(value)) return
    this.#inARow.add(value)
    this.#charge([value])
  }

  // Statements.

  #runAll(statements: readonly AnyNode[], scope: Scope): Completion {
    for (const one of statements) hoist(one, scope)
    for (const one of statements) {
      const completion = this.#runOne(one, scope)
      if (completion !== null) return completion
    }
    return null
  }

  /** What is done here may be left out. */
  #inDoubt<Result>(work: () => Result): Result {
    this.#course.doubts += 1
    const result = work()
    this.#course.doubts -= 1
    return result
  }

  /** Both ways of a condition that is not known are followed; the first that ends decides nothing. */
  #runEither(ways: readonly (AnyNode | null | undefined)[], scope: Scope): Completion {
    const [first = null, second = null] = this.#inDoubt(() => ways.map(way => (way ? this.#runOne(way, scope) : null)))
    // Where only one of them ends, what follows may be left out.
    if ((first === null) !== (second === null)) this.#course.doubts += 1
    return first !== null && second !== null ? first : null
  }

  #runOne(node: AnyNode, scope: Scope): Completion {
    this.#step()
    switch (node.type) {
      case 'ExpressionStatement':
        this.evaluate(node.expression, scope)
        return null
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          if (init || node.kind !== 'var') this.#bind(id, init ? this.evaluate(init, scope) : UNKNOWN, scope)
          else if (id.type === 'Identifier' && !scope.variables.has(id.name)) scope.variables.set(id.name, UNKNOWN)
        }
        return null
      case 'BlockStatement':
      case 'StaticBlock':
        return this.#runAll(node.body, scope)
      case 'IfStatement': {
        const holds = asBoolean(this.evaluate(node.test, scope))
        if (holds === null) return this.#runEither([node.consequent, node.alternate], scope)
        const way = holds ? node.consequent : node.alternate
        return way ? this.#runOne(way, scope) : null
      }
      case 'ForStatement':
        if (node.init)
          node.init.type === 'VariableDeclaration' ? this.#runOne(node.init, scope) : this.evaluate(node.init, scope)
        return this.#loop(node.test ?? null, node.body, node.update ?? null, scope)
      case 'WhileStatement':
        return this.#loop(node.test, node.body, null, scope)
      case 'DoWhileStatement': {
        const first = this.#runOne(node.body, scope)
        if (first !== null) return first.kind === 'return' ? first : null
        return this.#loop(node.test, node.body, null, scope)
      }
      case 'ForOfStatement':
      case 'ForInStatement':
        return this.#runForEach(node, scope)
      case 'ReturnStatement':
        return { kind: 'return', value: node.argument ? this.evaluate(node.argument, scope) : UNKNOWN }
      case 'BreakStatement':
        return { kind: 'break' }
      case 'ContinueStatement':
        return { kind: 'continue' }
      case 'ThrowStatement':
        this.evaluate(node.argument, scope)
        return { kind: 'return', value: UNKNOWN }
      case 'TryStatement': {
        const completion = this.#runOne(node.block, scope)
        const { handler } = node
        if (handler) this.#inDoubt(() => this.#runOne(handler.body, scope))
        const last = node.finalizer ? this.#runOne(node.finalizer, scope) : null
        return last ?? completion
      }
      case 'SwitchStatement':
        this.evaluate(node.discriminant, scope)
        this.#inDoubt(() => {
          for (const { consequent } of node.cases) this.#runAll(consequent, scope)
        })
        return null
      case 'ClassDeclaration':
        if (node.id) scope.variables.set(node.id.name, this.#classOf(node, scope))
        return null
      case 'LabeledStatement':
      case 'WithStatement':
        return this.#runOne(node.body, scope)
      default:
        return null
    }
  }

  #loop(test: AnyNode | null, body: AnyNode, update: AnyNode | null, scope: Scope): Completion {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.#step()
      const holds = test === null ? null : asBoolean(this.evaluate(test, scope))
      if (holds === false) return null
      const completion = holds === null ? this.#inDoubt(() => this.#runOne(body, scope)) : this.#runOne(body, scope)
      if (completion?.kind === 'return') return completion
      if (completion?.kind === 'break') return null
      if (update) this.evaluate(update, scope)
      if (holds === null) return null
    }
    return null
  }

  #runForEach(node: Extract<AnyNode, { type: 'ForOfStatement' | 'ForInStatement' }>, scope: Scope): Completion {
    const over = this.evaluate(node.right, scope)
    const to = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]?.id : node.left
    this.#charge([over])
    for (const item of this.#itemsOver(over, node.type === 'ForInStatement')) {
      this.#step()
      if (to) this.#bind(to, item, scope)
      const completion = this.#runOne(node.body, scope)
      if (completion?.kind === 'return') return completion
      if (completion?.kind === 'break') return null
    }
    return null
  }

  #itemsOver(over: Value, byKey: boolean): readonly Value[] {
    if (over.kind === 'list') return byKey ? over.items.map((_, at) => number(at)) : over.items
    if (over.kind === 'record') return byKey ? [...over.members.keys()].map(key => text(key)) : [UNKNOWN]
    if (over.kind === 'text')
      return byKey ? this.#charactersOf(over).map((_, at) => number(at)) : this.#charactersOf(over)
    return [UNKNOWN]
  }

  /** Gives a value to a name or to the parts of a pattern. */
  #bind(pattern: Pattern, value: Value, scope: Scope): void {
    if (pattern.type === 'Identifier') scope.variables.set(pattern.name, value)
    else if (pattern.type === 'AssignmentPattern') {
      this.#bind(pattern.left, value === UNKNOWN ? this.evaluate(pattern.right, scope) : value, scope)
    } else if (pattern.type === 'ArrayPattern') {
      pattern.elements.forEach((one, at) => {
        if (one) this.#bind(one, value.kind === 'list' ? (value.items[at] ?? UNKNOWN) : UNKNOWN, scope)
      })
    } else if (pattern.type === 'ObjectPattern') {
      for (const one of pattern.properties) {
        if (one.type !== 'Property') continue
        const key = one.key.type === 'Identifier' ? one.key.name : ''
        this.#bind(one.value, value.kind === 'record' ? (value.members.get(key) ?? UNKNOWN) : UNKNOWN, scope)
      }
    } else if (pattern.type === 'MemberExpression') this.#assignMember(pattern, value, scope)
  }

  // Functions.

  #callBuiltin(path: string, builtin: Builtin, args: readonly Value[]): Value {
    this.#step()
    this.#charge(args, DEAR.has(path) ? 1 : CONVERSION_CHARACTERS)
    return this.#charged(builtin(args, this.#follow))
  }

  #enter(node: FunctionNode, outer: Scope, args: readonly Value[]): Value {
    const outside = this.#entered.get(node)
    // Where both ways of a condition call the function again, each round would double what there is to follow.
    if (outside !== undefined && this.#course.doubts > outside) return UNKNOWN
    // Arguments are passed as they are, however long: only the list of them is made.
    this.#spend(1 + args.length)
    this.#depth += 1
    const [{ doubts }, before] = [this.#course, this.#yielded]
    if (node.generator) this.#yielded = []
    this.#entered.set(node, outside ?? doubts)
    try {
      const scope = newScope(outer)
      scope.variables.set('arguments', list([...args]))
      node.params.forEach((param, at) => {
        if (param.type === 'RestElement') this.#bind(param.argument, list(args.slice(at)), scope)
        else this.#bind(param, args[at] ?? UNKNOWN, scope)
      })
      if (node.body.type !== 'BlockStatement') return this.evaluate(node.body, scope)
      const completion = this.#runAll(node.body.body, scope)
      if (node.generator) return list(this.#yielded)
      return completion?.kind === 'return' ? completion.value : UNKNOWN
    } finally {
      this.#depth -= 1
      this.#course.doubts = doubts
      this.#yielded = before
      if (outside === undefined) this.#entered.delete(node)
    }
  }

  // Expressions.

  evaluate(node: AnyNode, scope: Scope): Value {
    this.#step()
    if (this.#depth >= DEEPEST) return UNKNOWN
    this.#depth += 1
    try {
      return this.#valueIn(node, scope)
    } finally {
      this.#depth -= 1
    }
  }

  #valueIn(node: AnyNode, scope: Scope): Value {
    switch (node.type) {
      case 'Literal':
        return this.#literal(node)
      case 'TemplateLiteral': {
        const parts = node.quasis.map(({ value }) => value.cooked ?? '')
        const holes = node.expressions.map(one => this.evaluate(one, scope))
        const pieces = parts.flatMap((part, at) => [text(part), ...holes.slice(at, at + 1)])
        this.#charge([list(pieces), ...holes.filter(({ kind }) => kind !== 'text')])
        const whole = joinTexts(pieces, '')
        return whole === null ? unknown(firstDisguise(holes)) : text(whole, firstDisguise(holes))
      }
      case 'Identifier':
        if (node.name === 'undefined') return UNKNOWN
        return lookUp(scope, node.name) ?? { kind: 'host', path: GLOBAL.has(node.name) ? '' : node.name }
      case 'ThisExpression':
        return { kind: 'host', path: '' }
      case 'ArrayExpression':
        return list(node.elements.flatMap(one => (one ? this.#spread(one, scope) : [UNKNOWN])))
      case 'ObjectExpression':
        return this.#record(node, scope)
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return { kind: 'function', node, scope }
      case 'MemberExpression':
        return this.#readMember(node, scope)
      case 'CallExpression':
      case 'NewExpression':
        return this.#call(node, scope)
      case 'AssignmentExpression':
        return this.#assignment(node, scope)
      case 'UpdateExpression': {
        const value = this.evaluate(node.argument, scope)
        this.#charge([value])
        const before = asNumber(value)
        const after = before === null ? UNKNOWN : number(before + (node.operator === '++' ? 1 : -1))
        this.#bindOrAssign(node.argument, after, scope)
        return node.prefix || before === null ? after : number(before)
      }
      case 'BinaryExpression':
        return node.left.type === 'PrivateIdentifier' ? UNKNOWN : this.#binary(node, scope)
      case 'LogicalExpression': {
        const leftValue = this.evaluate(node.left, scope)
        const holds = asBoolean(leftValue)
        if (holds === null) return this.#inDoubt(() => this.evaluate(node.right, scope))
        return holds === (node.operator === '&&') ? this.evaluate(node.right, scope) : leftValue
      }
      case 'ConditionalExpression': {
        const holds = asBoolean(this.evaluate(node.test, scope))
        if (holds !== null) return this.evaluate(holds ? node.consequent : node.alternate, scope)
        const ways = this.#inDoubt(() => [this.evaluate(node.consequent, scope), this.evaluate(node.alternate, scope)])
        return longestOf(ways)
      }
      case 'UnaryExpression': {
        const value = this.evaluate(node.argument, scope)
        this.#charge([value])
        return unary(node.operator, value)
      }
      case 'SequenceExpression':
        return node.expressions.map(one => this.evaluate(one, scope)).at(-1) ?? UNKNOWN
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return this.evaluate(node.expression, scope)
      case 'AwaitExpression':
        return this.evaluate(node.argument, scope)
      case 'YieldExpression':
        if (node.argument) this.#yielded.push(this.evaluate(node.argument, scope))
        return UNKNOWN
      case 'ClassExpression':
        return this.#classOf(node, scope)
      case 'ImportExpression':
        return this.#callHost({ path: 'import', name: 'import', on: UNKNOWN, isNew: false }, [
          this.evaluate(node.source, scope),
        ])
      case 'TaggedTemplateExpression':
        return this.evaluate(node.quasi, scope)
      default:
        return UNKNOWN
    }
  }

  #literal(node: Extract<AnyNode, { type: 'Literal' }>): Value {
    const cachedLiteral = this.#literals.get(node)
    if (cachedLiteral !== undefined) return cachedLiteral
    const value = readLiteral(node)
    this.#literals.set(node, value)
    return value
  }

  #spread(node: AnyNode, scope: Scope): readonly Value[] {
    if (node.type !== 'SpreadElement') return [this.evaluate(node, scope)]
    const value = this.evaluate(node.argument, scope)
    this.#charge([value])
    if (value.kind === 'list') return value.items
    return value.kind === 'text' ? this.#charactersOf(value) : [UNKNOWN]
  }

  #record(node: Extract<AnyNode, { type: 'ObjectExpression' }>, scope: Scope): Value {
    const members = new Map<string, Value>()
    for (const one of node.properties) {
      if (one.type !== 'Property') continue
      const key = one.computed ? this.#computedName(one.key, scope) : nameOf(one.key)
      if (key !== null) members.set(key, this.evaluate(one.value, scope))
    }
    return { kind: 'record', members }
  }

  /** A class and what it makes alike: a record of its members, of which those that are not functions are global too, for `this`. */
  #classOf({ body }: Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>, scope: Scope): Value {
    const members = new Map<string, Value>()
    for (const one of body.body) {
      if (one.type === 'StaticBlock') this.#runOne(one, scope)
      if (one.type === 'StaticBlock' || one.key.type === 'PrivateIdentifier') continue
      const [key, value] = [nameOf(one.key), one.value ? this.evaluate(one.value, scope) : UNKNOWN]
      if (key === null) continue
      members.set(key, value)
      if (value.kind !== 'function') assign(outermost(scope), key, value)
    }
    return { kind: 'record', members }
  }

  #memberName({ computed, property }: MemberExpression, scope: Scope): string | null {
    return computed ? this.#computedName(property, scope) : property.type === 'Identifier' ? property.name : null
  }

  #computedName(node: AnyNode, scope: Scope): string | null {
    const name = this.evaluate(node, scope)
    // It is looked up by all of its characters.
    this.#charge([name], CONVERSION_CHARACTERS)
    return asText(name)
  }

  #readMember(node: MemberExpression, scope: Scope): Value {
    if (node.object.type === 'Super') return UNKNOWN
    const on = this.evaluate(node.object, scope)
    const name = this.#memberName(node, scope)
    return name === null ? unknown(disguiseOf(on)) : this.#member(on, name)
  }

  #member(on: Value, name: string): Value {
    if (name === 'length' && on.kind === 'text') return number(on.text.length)
    if (name === 'length' && on.kind === 'list') return number(on.items.length)
    if (on.kind === 'text' && /^\d+$/.test(name)) {
      this.#chargeOnce(on)
      return text(on.text.charAt(Number(name)), on.disguise)
    }
    if (on.kind === 'list' && /^\d+$/.test(name)) return on.items[Number(name)] ?? UNKNOWN
    if (on.kind === 'record') return on.members.get(name) ?? UNKNOWN
    if (on.kind === 'function' && name === 'constructor') return { kind: 'host', path: 'Function' }
    if (on.kind === 'host') {
      const property = (on.path === '' ? this.#globalOf(name) : null) ?? this.#host.read(on, name)
      if (property !== null) return property
      if (on.path === '' || GLOBAL.has(name)) return { kind: 'host', path: GLOBAL.has(name) ? '' : name }
      return { kind: 'host', path: `${on.path}.${name}` }
    }
    return this.#host.read(on, name) ?? unknown(disguiseOf(on))
  }

  #call(node: CallExpression | NewExpression, scope: Scope): Value {
    const isNew = node.type === 'NewExpression'
    const { callee } = node
    if (callee.type === 'Super') return UNKNOWN
    if (callee.type === 'MemberExpression') {
      if (callee.object.type === 'Super') return UNKNOWN
      const on = this.evaluate(callee.object, scope)
      const name = this.#memberName(callee, scope)
      const args = this.#argumentsOf(node, scope)
      return name === null ? unknown(firstDisguise(args)) : this.#callMethod(on, name, args, isNew)
    }
    const callable = this.evaluate(callee, scope)
    const args = this.#argumentsOf(node, scope)
    if (isNew && callable.kind === 'record') {
      this.#follow(callable.members.get('constructor') ?? UNKNOWN, args)
      return callable
    }
    return this.#callValue(callable, args, isNew)
  }

  #argumentsOf(node: CallExpression | NewExpression, scope: Scope): readonly Value[] {
    const args: Value[] = []
    for (const one of node.arguments) {
      if (one.type === 'SpreadElement') for (const item of this.#spread(one, scope)) args.push(item)
      else args.push(this.evaluate(one, scope))
    }
    return args
  }

  #callValue(callable: Value, args: readonly Value[], isNew: boolean): Value {
    if (callable.kind === 'function') {
      const returnValue = this.#follow(callable, args)
      return isNew ? UNKNOWN : returnValue
    }
    if (callable.kind === 'host' && callable.path === 'Reflect.apply') {
      const [target = UNKNOWN, ...rest] = args
      return this.#callMethod(target, 'apply', rest, false)
    }
    if (callable.kind !== 'host') return this.#callHost({ path: null, name: '', on: callable, isNew }, args)
    const builtin = functions.get(callable.path)
    if (builtin) return this.#callBuiltin(callable.path, builtin, args)
    this.#charge(args, CONVERSION_CHARACTERS)
    const name = callable.path.slice(callable.path.lastIndexOf('.') + 1)
    return this.#callHost({ path: callable.path, name, on: callable, isNew }, args)
  }

  #callMethod(on: Value, name: string, args: readonly Value[], isNew: boolean): Value {
    // `Array.prototype.map.call(text, …)`, `String.fromCharCode.apply(null, codes)` and a function of the script alike.
    if (name === 'call' || name === 'apply') {
      const [target = UNKNOWN, ...rest] = args
      const callArguments = name === 'call' ? rest : rest[0]?.kind === 'list' ? rest[0].items : []
      const [, method] = /^(?:Array|String)\.prototype\.(\w+)$/.exec(on.kind === 'host' ? on.path : '') ?? []
      return method === undefined
        ? this.#callValue(on, callArguments, false)
        : this.#callMethod(target, method, callArguments, false)
    }
    if (name === 'bind' && (on.kind === 'function' || on.kind === 'host')) return on
    if (on.kind === 'record' && !on.members.has(name)) {
      const [key = UNKNOWN, value] = args
      const keyText = asText(key) ?? ''
      if (name === 'get') return on.members.get(keyText) ?? UNKNOWN
      if (name === 'set' && value) on.members.set(keyText, value)
    }
    if (on.kind === 'record' && on.members.has(name))
      return this.#callValue(on.members.get(name) ?? UNKNOWN, args, isNew)
    if (on.kind === 'host') {
      const callable = this.#member(on, name)
      if (callable.kind === 'host' || callable.kind === 'function') return this.#callValue(callable, args, isNew)
    }
    this.#charge(args, CONVERSION_CHARACTERS)
    if (POSITIONAL.has(name) && on.kind === 'text') this.#chargeOnce(on)
    else if (!AT_ENDS.has(name)) this.#charge([on], CONVERSION_CHARACTERS)
    if (on.kind === 'text' && SEARCHING.has(name)) this.#chargeSearch(on.text, args[0])
    if (POSITIONAL.has(name) && args.some(one => asNumber(one) === null)) return unknown(disguiseOf(on))
    if (on.kind === 'text' && Object.hasOwn(textMethods, name))
      return this.#charged(textMethods[name]?.(on, args, this.#follow) ?? UNKNOWN)
    if (on.kind === 'text' && name === 'map') return this.#callMethod(list(this.#charactersOf(on)), name, args, false)
    if (on.kind === 'list' && Object.hasOwn(listMethods, name)) {
      const result = listMethods[name]?.(on, args, this.#follow) ?? UNKNOWN
      return result === on || AT_ENDS.has(name) ? result : this.#charged(result)
    }
    if (on.kind === 'number' && name === 'toString') return numberToText(on.number, asNumber(args[0]))
    return this.#callHost({ path: null, name, on, isNew }, args)
  }

  #callHost(callee: Callee, args: readonly Value[]): Value {
    this.#spend(OF_BROWSER)
    return (
      this.#host.call(callee, args, this.#follow) ??
      unknown(firstDisguise([callee.on, ...args]) ?? (args.some(isCiphertext) ? 'ciphertext' : null))
    )
  }

  #assignment(node: AssignmentExpression, scope: Scope): Value {
    const { left, operator } = node
    const right = this.evaluate(node.right, scope)
    if (operator === '=') {
      this.#bindOrAssign(left, right, scope)
      return right
    }
    const before = left.type === 'Identifier' || left.type === 'MemberExpression' ? this.evaluate(left, scope) : UNKNOWN
    if (operator !== '+=' || before.kind === 'list' || right.kind === 'list') this.#charge([before, right])
    const value = operator === '+=' ? add(before, right) : computeOperator(operator.slice(0, -1), before, right)
    // What was in an element stays there: only what is added is new.
    const assignedValue =
      left.type === 'MemberExpression' && operator === '+=' && before.kind === 'unknown' ? right : value
    this.#bindOrAssign(left, assignedValue, scope)
    return value
  }

  #bindOrAssign(to: AnyNode, value: Value, scope: Scope): void {
    if (to.type === 'Identifier') {
      if (lookUp(scope, to.name) === null) {
        this.#charge([value])
        this.#host.assign(to.name, value, { kind: 'host', path: '' }, this.#follow)
      }
      assign(scope, to.name, value)
    } else if (to.type === 'MemberExpression') this.#assignMember(to, value, scope)
    else if (to.type === 'ArrayPattern' || to.type === 'ObjectPattern' || to.type === 'AssignmentPattern')
      this.#bind(to, value, scope)
  }

  #assignMember(node: MemberExpression, value: Value, scope: Scope): void {
    if (node.object.type === 'Super') return
    const on = this.evaluate(node.object, scope)
    const name = this.#memberName(node, scope)
    if (name === null) return
    if (on.kind === 'record') on.members.set(name, value)
    else if (on.kind === 'list' && /^\d{1,6}$/.test(name) && Number(name) <= on.items.length)
      on.items[Number(name)] = value
    else {
      // `window.x = 1` declares a variable.
      if (on.kind === 'host' && on.path === '') assign(outermost(scope), name, value)
      this.#charge([value])
      this.#host.assign(name, value, on, this.#follow)
    }
  }

  /** A longer name takes long to look up, and is no variable. */
  #globalOf(name: string): Value | null {
    return name.length <= LONGEST_NAME ? (this.#globals?.variables.get(name) ?? null) : null
  }

  #binary(node: Extract<AnyNode, { type: 'BinaryExpression' }>, scope: Scope): Value {
    const leftValue = this.evaluate(node.left, scope)
    const right = this.evaluate(node.right, scope)
    // Texts are added without a walk over them.
    if (node.operator !== '+' || leftValue.kind === 'list' || right.kind === 'list') this.#charge([leftValue, right])
    return node.operator === '+' ? add(leftValue, right) : computeOperator(node.operator, leftValue, right)
  }

  /** Follows a script in the scope of all scripts of the page. Throws `Exhausted`. */
  run(program: { readonly body: readonly AnyNode[] }, scope: Scope): void {
    const { doubts } = this.#course
    this.#globals = scope
    this.#runAll(program.body, scope)
    this.#course.doubts = doubts
  }
}

/** Function declarations are known before the statements around them. */
function hoist(node: AnyNode, scope: Scope): void {
  if (node.type === 'FunctionDeclaration' && node.id)
    scope.variables.set(node.id.name, { kind: 'function', node, scope })
}

function readLiteral(node: Extract<AnyNode, { type: 'Literal' }>): Value {
  if (node.regex) {
    const pattern = linearPattern(node.regex.pattern, node.regex.flags)
    return pattern === null ? UNKNOWN : { kind: 'pattern', pattern }
  }
  if (typeof node.value === 'string') {
    const isEscaped =
      node.raw !== undefined && node.raw.length > node.value.length + MANY_ESCAPES && hasEscapes(node.raw)
    return text(node.value, isEscaped ? 'escapes' : null)
  }
  if (typeof node.value === 'number') return number(node.value)
  if (typeof node.value === 'boolean') return number(node.value ? 1 : 0)
  return UNKNOWN
}

const nameOf = (key: AnyNode): string | null =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null

const outermost = (scope: Scope): Scope => (scope.parent === null ? scope : outermost(scope.parent))

/** Steps for walking over a value: one for an item of a list or a member of a record, and some for its characters. */
function costOf(value: Value, charactersOfStep: number): number {
  if (value.kind === 'text') return value.text.length / charactersOfStep
  if (value.kind === 'unknown') return (value.size ?? 0) / charactersOfStep
  if (value.kind === 'record') return value.members.size
  if (value.kind !== 'list') return 0
  let characters = 0
  for (const item of value.items) if (item.kind === 'text') characters += item.text.length
  return value.items.length + characters / charactersOfStep
}

function add(left: Value, right: Value): Value {
  if (left.kind === 'number' && right.kind === 'number') return number(left.number + right.number)
  const [one, other] = [asText(left), asText(right)]
  const disguise = firstDisguise([left, right])
  if (one === null && other === null) return unknown(disguise)
  // A sum of a number and of what is not known may be a number.
  if ((one === null && right.kind === 'number') || (other === null && left.kind === 'number')) return unknown(disguise)
  return text((one ?? HOLE) + (other ?? HOLE), disguise)
}

/** Of two texts, the longer is the page. */
function longestOf(ways: readonly Value[]): Value {
  const lengthOf = (value: Value) => (value.kind === 'text' ? value.text.length : -1)
  const [first = UNKNOWN, second = UNKNOWN] = ways
  const longer = lengthOf(second) > lengthOf(first) ? second : first
  return longer.kind === 'text' ? longer : UNKNOWN
}

const operators: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
  '^': (left, right) => left ^ right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '>>>': (left, right) => left >>> right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
}

function computeOperator(operator: string, left: Value, right: Value): Value {
  if (/^[!=]==?$/.test(operator)) {
    const [one, other] = [asText(left), asText(right)]
    if (one === null || other === null || one.includes(HOLE) || other.includes(HOLE)) return UNKNOWN
    return number((one === other) === operator.startsWith('=') ? 1 : 0)
  }
  const [one, other] = [asNumber(left), asNumber(right)]
  const compute = operators[operator]
  if (compute === undefined || one === null || other === null) return unknown(firstDisguise([left, right]))
  return number(Number(compute(one, other)))
}

function unary(operator: string, value: Value): Value {
  if (operator === '!') {
    const holds = asBoolean(value)
    return holds === null ? UNKNOWN : number(holds ? 0 : 1)
  }
  const operand = asNumber(value)
  if (operand === null) return UNKNOWN
  if (operator === '-') return number(-operand)
  if (operator === '~') return number(~operand)
  return operator === '+' ? number(operand) : UNKNOWN
}

/** Encoded text that goes into a function of another script. */
const isCiphertext = (value: Value): boolean => value.kind === 'text' && CIPHERTEXT.test(value.text)
const CIPHERTEXT = /^[\w+/=.:-]{200}/

const firstDisguise = (values: readonly Value[]) => values.map(disguiseOf).find(one => one !== null) ?? null

function hasEscapes(raw: string): boolean {
  let count = 0
  for (const _ of raw.matchAll(ESCAPE)) {
    if (++count >= MANY_ESCAPES) return true
  }
  return false
}
