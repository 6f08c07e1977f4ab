/// A comparison after it was checked against a model: all that the evaluator and the SQL builder need, with properties
/// found and constants in the type that they are compared in.
package struct ComparisonPlan: Sendable {
    /// The operand that is tested; through a to-many relationship if there is a quantifier.
    package let left: PlannedOperand
    /// The test of the left side, or of each of its elements.
    package let test: PlannedTest
    /// Whether the test must fail instead: for `!=`.
    package let isNegated: Bool
    /// How text is folded. Constants of the plan are folded already.
    package let options: FetchTextOptions
    /// How many elements of the left side's to-many must satisfy the test.
    package let quantifier: FetchComparison.Quantifier?
}

/// A test of a value. Nil passes ``absent`` and equality with nil only.
package indirect enum PlannedTest: Sendable {
    /// No value passes.
    case never
    /// Nil.
    case absent
    /// Any value but nil.
    case present
    /// A value equal to the operand's, or both nil.
    case equal(PlannedOperand)
    /// Nil, where the operand is nil too: all that values of unlike types have in common.
    case bothAbsent(PlannedOperand)
    /// A value before or after the operand's.
    case ordered(PlannedOrder, PlannedOperand)
    /// Both tests.
    case both(PlannedTest, PlannedTest)
    /// One of the values.
    case member(PlannedSet)
    /// Text that contains, begins or ends with the operand's.
    case text(PlannedTextTest, PlannedOperand)
    /// Text that a pattern of `LIKE` matches.
    case like(LikePattern)
    /// Text that a regular expression matches.
    case matches(RegularPattern)
}

/// Which side of a bound.
package enum PlannedOrder: Sendable, Hashable {
    case less, lessOrEqual, greater, greaterOrEqual

    /// The order of the sides exchanged.
    package var exchanged: PlannedOrder {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// Where in a text another is looked for.
package enum PlannedTextTest: Sendable, Hashable {
    case contains, beginsWith, endsWith
}

/// Values to be looked up, all of the type that they are compared in.
package struct PlannedSet: Sendable {
    /// The values but nil, each once, in the order of their first mention.
    package let values: [Value]
    /// Whether nil is among them.
    package let hasNull: Bool
    private let keys: Set<Value>

    package init(_ values: [Value]) {
        var keys: Set<Value> = []
        self.values = values.filter { !$0.isNull && keys.insert($0.lookupKey).inserted }
        self.keys = keys
        hasNull = values.contains(where: \.isNull)
    }

    /// Whether it has the value. Complexity: O(1).
    func contains(_ value: Value) -> Bool { value.isNull ? hasNull : keys.contains(value.lookupKey) }
}

/// A side of a planned comparison.
package indirect enum PlannedOperand: Sendable {
    /// A constant.
    case constant(Value)
    /// The value that a path leads to.
    case path(PlannedPath)
    /// How many objects a path ends at, of those that satisfy a predicate on the variable.
    case count(PlannedPath, variable: String?, where: FetchPredicate?)

    /// The path of a path.
    package var path: PlannedPath? {
        if case .path(let path) = self { path } else { nil }
    }
}

/// A path with its properties found.
package struct PlannedPath: Sendable {
    /// Where it begins.
    package let root: FetchKeyPath.Root
    /// The entity of the object that it begins at.
    package let rootEntity: ResolvedEntity
    /// The properties, in order.
    package let steps: [PlannedStep]
    /// The kind of the value at its end.
    package let kind: PlannedKind

    /// Whether it goes through, or ends at, a to-many relationship.
    package var isToMany: Bool { steps.contains(where: \.isToMany) }
    /// The attribute at its end, if there is one.
    package var attribute: AttributeDescription? { steps.last?.property.attribute }
}

/// A step of a path.
package struct PlannedStep: Sendable {
    /// The entity that the property is of.
    package let entity: ResolvedEntity
    /// The property.
    package let property: ResolvedProperty
    /// The entity that a relationship leads to.
    package let destination: ResolvedEntity?
    /// Whether it leads to any number of objects.
    package var isToMany: Bool { property.relationship?.isToMany ?? false }
}

/// The kind as which values are compared.
package enum PlannedKind: Sendable, Hashable {
    /// Integers of any width, and counts.
    case integer
    /// Doubles, and floats.
    case double
    /// Decimals.
    case decimal
    /// Truth values.
    case boolean
    /// Text, and URIs by their text.
    case text
    /// Dates.
    case date
    /// Bytes inside the row.
    case bytes
    /// Bytes outside the row, which can only be there or not.
    case external
    /// UUIDs.
    case uuid
    /// Objects of an entity.
    case object(ResolvedEntity)

    /// Whether values of this kind and another can be equal.
    func isLike(_ other: PlannedKind) -> Bool {
        if case .object(let entity) = self, case .object(let other) = other { return entity.isRelative(of: other) }
        return self == other || isNumber && other.isNumber
    }

    /// Whether values are numbers, which compare across their kinds.
    package var isNumber: Bool { [.integer, .double, .decimal].contains(self) }

    /// Whether values have an order.
    package var isOrdered: Bool { isNumber || [.text, .date, .uuid].contains(self) }

    /// The kind of an attribute's values.
    package init(_ attribute: AttributeDescription) {
        self =
            switch attribute.type {
            case .integer16, .integer32, .integer64: .integer
            case .double, .float: .double
            case .decimal: .decimal
            case .boolean: .boolean
            case .string, .uri: .text
            case .date: .date
            case .binary: attribute.allowsExternalStorage ? .external : .bytes
            case .transformable: .bytes
            case .uuid: .uuid
            }
    }
}
