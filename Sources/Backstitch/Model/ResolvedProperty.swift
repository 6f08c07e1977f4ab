/// A property in its slot. It is a class, so passing it around never copies its description.
public final class ResolvedProperty: Sendable {
    /// The content of a column's cells; see ``RowBatch``.
    public enum CellKind: Sendable, Hashable {
        /// The cell is an `Int64`.
        case integer
        /// The cell is zero or one.
        case boolean
        /// The cell is in milliseconds since 1970.
        case date
        /// The cell has the bits of a `Double`.
        case double
        /// The cell is the place of a string in the arena.
        case text
        /// The cell is the place of other bytes in the arena.
        case bytes
    }

    /// The name; also the field of a record.
    public let name: String
    /// The name of its column, unique in the family. It is `name`, or `Entity.name` if several entities of the family
    /// declare a property of this name, regardless of case.
    public let columnName: String
    /// The name of the declaring entity; nil for the column with the name of a row's entity.
    package let declaringEntity: String?
    /// The position among the entity's properties. Below ``ResolvedEntity/columnCount`` it is also the position of the
    /// column.
    public let slot: Int
    /// The description of an attribute; nil for a relationship.
    public let attribute: AttributeDescription?
    /// The resolved relationship; nil for an attribute.
    public let relationship: ResolvedRelationship?
    /// The content of the column's cells; ``CellKind/bytes`` for relationships.
    public let cellKind: CellKind

    /// The database's form of the column's cells.
    package let form: CellForm

    /// Whether its values are kept in memory only.
    public let isTransient: Bool

    /// The kind of value that the attribute keeps without a check; nil if each value is checked.
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
