/// A property in its slot. A class, so that handing one around costs no copy of what the model says of it.
public final class ResolvedProperty: Sendable {
    /// The content of a column's cells; see ``RowBatch``.
    public enum CellKind: Sendable, Hashable {
        /// An `Int64`.
        case integer
        /// Zero or one.
        case boolean
        /// Milliseconds since 1970.
        case date
        /// The bits of a `Double`.
        case double
        /// The place of a string in the arena.
        case text
        /// The place of other bytes in the arena.
        case bytes
    }

    /// Name; also the field of a record.
    public let name: String
    /// The name of its column, unlike that of any other of the family: `name`, or `Entity.name` where several entities
    /// of the family declare a property of that name, in upper or lower case.
    public let columnName: String
    /// Name of the entity that declares it; nil for the column that tells of which entity a row is.
    package let declaringEntity: String?
    /// Position among the entity's properties; below the entity's ``ResolvedEntity/columnCount`` also its column.
    public let slot: Int
    /// An attribute's description; nil for a relationship.
    public let attribute: AttributeDescription?
    /// A relationship, resolved; nil for an attribute.
    public let relationship: ResolvedRelationship?
    /// The content of the column's cells; ``CellKind/bytes`` for relationships.
    public let cellKind: CellKind

    /// How a database keeps the column's cells.
    package let form: CellForm

    /// Whether its values live in memory only.
    public let isTransient: Bool

    /// The kind of value that an attribute keeps as it is given, without a look at it; nil where each is looked at.
    let plainKind: CellKind?

    /// Whether rows have a column for it.
    var isColumn: Bool { attribute.map { !$0.isTransient } ?? (relationship?.storage == .column) }

    init(
        name: String, columnName: String? = nil, declaringEntity: String? = nil, slot: Int,
        attribute: AttributeDescription?, relationship: ResolvedRelationship?
    ) {
        self.name = name
        self.columnName = columnName ?? name
        self.declaringEntity = declaringEntity
        self.slot = slot
        self.attribute = attribute
        self.relationship = relationship
        isTransient = attribute?.isTransient ?? false
        let cellKind: CellKind =
            switch attribute?.type {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .date: .date
            case .double, .float: .double
            case .string: .text
            default: .bytes
            }
        self.cellKind = cellKind
        form = CellForm(attribute)
        let isPlain = attribute?.derivation == nil && !isTransient
        plainKind =
            switch attribute?.type {
            case .integer64, .double, .string, .boolean: isPlain ? cellKind : nil
            default: nil
            }
    }
}
