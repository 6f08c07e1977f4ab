/// An entity with its properties in fixed slots.
///
/// The slots are numbered in this order: stored attributes, to-one relationships with a column in this entity's rows,
/// other relationships, transient attributes. So a slot below ``columnCount`` is also the position of its column in a
/// ``RowBatch``.
public final class ResolvedEntity: Sendable {
    /// The name; also the record type, and the table's name unless the entity has a parent.
    public let name: String
    /// The position among the model's entities.
    public let index: Int
    /// The properties by slot: the entity's own and inherited ones. In a family they include those of its relatives,
    /// since all have one layout. See ``ownProperties``.
    public let properties: [ResolvedProperty]
    /// The number of properties with a column in the entity's rows.
    public let columnCount: Int
    /// The class of the entity's objects.
    public let managedObjectClass: ManagedObject.Type
    /// The values of a new object's columns.
    public let defaults: [Value]
    /// The columns of each unique constraint.
    public let uniquenessConstraints: [[Int]]

    /// Whether only its subentities have objects.
    public let isAbstract: Bool
    /// Names of the entity's ancestors, the nearest first.
    public let lineage: [String]
    /// Names of all entities below this one.
    public let subentityNames: [String]
    /// The family with the shared table; nil if the entity has neither parent nor children.
    public let family: EntityFamily?
    /// The properties of its objects, declared and inherited, by slot.
    public let ownProperties: [ResolvedProperty]
    /// The column with an object's parent: an object is in its parent's zone. See ``EntityDescription/parent(_:)``.
    public let parentColumn: ResolvedProperty?
    /// The attributes that identify objects on all devices; nil if the objects get generated identities.
    let naturalKey: NaturalKey?
    /// Whether the entity's objects have a natural key.
    package var isIdentifiedByValues: Bool { naturalKey != nil }

    /// Whether the store computes some of its columns: then rows change when other rows are written.
    package let hasDerivedColumns: Bool
    /// Paths of the parts of composite attributes, with the names of the attributes that store them.
    let compositePaths: [String: String]
    let ownSlots: PropertySet
    /// The content of each column's cells.
    let cellKinds: ContiguousArray<ResolvedProperty.CellKind>
    /// The database's form of each column's cells.
    package let cellForms: ContiguousArray<CellForm>
    /// The number of words of null bits in a row; see ``RowCells``.
    let nullWords: Int
    /// For each column with other cells than numbers, its place among those columns; -1 for number columns.
    let otherPlaces: ContiguousArray<Int>
    /// The number of columns with other cells than numbers.
    let otherCount: Int
    /// The initial values of a new object.
    let newCells: CellTemplate
    /// The initial changes of an object: none.
    let noCells: CellTemplate
    /// By slot, the column's limits for a fast set: a number within them needs no further check.
    let plainColumns: ContiguousArray<PlainColumn>
    /// The properties required for a save. `requiredColumns` has those with a column.
    let requiredProperties: [ResolvedProperty]
    let requiredColumns: PropertySet
    /// Whether some of its attributes are kept in memory only.
    let hasTransients: Bool
    /// The relationships with a limited number of objects.
    let countedProperties: [ResolvedProperty]
    let allColumns: PropertySet
    /// Whether values of some columns are kept in files of their own.
    package var hasExternalColumns: Bool { !externalColumns.isEmpty }
    /// The columns of attributes with external storage.
    package let externalColumns: [Int]
    /// Checks the class when its first object is made.
    let classCheck = ClassCheck()
    private let attributeColumns: PropertySet
    private let slotByName: SlotTable

    /// - Parameter slots: The slots of the declared and inherited properties by name; nil for all of `properties`.
    init(
        name: String, index: Int, properties: [ResolvedProperty], columnCount: Int,
        managedObjectClass: ManagedObject.Type, uniquenessConstraints: [[String]] = [], isAbstract: Bool = false,
        lineage: [String] = [], subentityNames: [String] = [], family: EntityFamily? = nil,
        compositePaths: [String: String] = [:],
        slots: [String: Int]? = nil, zoneParent: String? = nil, naturalKey: NaturalKey? = nil
    ) {
        self.isAbstract = isAbstract
        self.lineage = lineage
        self.subentityNames = subentityNames
        self.family = family
        let ownSlots = slots.map { PropertySet($0.values) } ?? PropertySet(properties.indices)
        let ownProperties = properties.filter { ownSlots.contains($0.slot) }
        self.naturalKey = naturalKey
        self.ownSlots = ownSlots
        self.ownProperties = ownProperties
        parentColumn = zoneParent.flatMap { name in ownProperties.first { $0.name == name && $0.slot < columnCount } }
        hasDerivedColumns = properties.contains { $0.attribute?.derivation != nil }
        self.name = name
        self.index = index
        self.properties = properties
        self.columnCount = columnCount
        self.managedObjectClass = managedObjectClass
        cellKinds = ContiguousArray(properties[..<columnCount].map(\.cellKind))
        cellForms = ContiguousArray(properties[..<columnCount].map(\.form))
        attributeColumns = PropertySet(properties[..<columnCount].filter { $0.attribute != nil }.map(\.slot))
        var defaults = properties[..<columnCount].map { $0.attribute?.defaultValue ?? .null }
        if let family {
            for slot in 0..<columnCount where !ownSlots.contains(slot) { defaults[slot] = .null }
            defaults[family.slot] = .string(name)
        }
        self.defaults = defaults
        nullWords = RowCells.nullWords(columnCount)
        let layout = CellLayout(properties[..<columnCount])
        otherPlaces = layout.otherPlaces
        otherCount = layout.otherCount
        newCells = layout.template(defaults)
        noCells = layout.template(nil)
        plainColumns = ContiguousArray(properties.map(PlainColumn.init))
        let required = ownProperties.filter {
            $0.attribute.map { !$0.isOptional } ?? ($0.relationship?.description.isOptional == false)
        }
        requiredProperties = required
        requiredColumns = PropertySet(required.map(\.slot).filter { $0 < columnCount })
        hasTransients = properties.contains(where: \.isTransient)
        countedProperties = ownProperties.filter { $0.relationship?.description.countRange != nil }
        allColumns = PropertySet(0..<columnCount)
        externalColumns = properties[..<columnCount].filter { $0.attribute?.allowsExternalStorage == true }.map(\.slot)
        var slotByName = Dictionary(uniqueKeysWithValues: ownProperties.map { ($0.name, $0.slot) })
        // The parts of a composite are also found by their paths. Names have no point, so paths never clash with names.
        for (path, name) in compositePaths { slotByName[path] = slotByName[name] }
        self.slotByName = SlotTable(slotByName, properties[..<columnCount])
        self.compositePaths = compositePaths
        self.uniquenessConstraints = uniquenessConstraints.map { names in names.compactMap { slotByName[$0] } }
    }

    /// The properties with a column in the entity's rows: attributes and owned to-one relationships.
    public var columns: ArraySlice<ResolvedProperty> { properties[..<columnCount] }

    /// The columns of the entity's objects, without those of its relatives. Complexity: O(columns).
    package var ownColumns: [ResolvedProperty] { columns.filter { owns($0.slot) } }

    /// All relationships of its objects, by slot.
    public var relationships: [ResolvedProperty] { ownProperties.filter { $0.relationship != nil } }

    /// Returns the property of this name, or nil.
    public func property(named name: String) -> ResolvedProperty? {
        slotByName.slot(of: name).map { properties[$0] }
    }

    /// Returns the slot of the property of this name, or nil.
    @inline(__always)
    func slot(of name: String) -> Int? { slotByName.slot(of: name) }

    /// Returns the slot and cell kind of the property of this name; nil if there is none.
    @inline(__always)
    func column(of name: String) -> SlotTable.Column? { slotByName.column(of: name) }

    /// Whether a column holds an attribute.
    @inline(__always)
    func isAttribute(_ column: Int) -> Bool { attributeColumns.contains(column) }

    /// Returns the property of this name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the entity has no such property; the message lists similar
    ///   names, or all names if none is similar.
    public func requireProperty(named name: String) throws -> ResolvedProperty {
        if let property = property(named: name) { return property }
        guard index >= 0 else {
            throw BackstitchError(
                .invalidRequest,
                "the object has no entity, and so no property \"\(name)\": no entity of the model has its class; give one the "
                    + "class, or make objects with insertObject(entityName:)", key: name)
        }
        throw BackstitchError(
            .invalidRequest,
            "entity \(self.name) has no property \"\(name)\"; \(NearNames.hint(name, among: ownProperties.map(\.name)))",
            key: name)
    }
}

extension ResolvedEntity: Hashable {
    /// Whether both are the same instance.
    public static func == (left: ResolvedEntity, right: ResolvedEntity) -> Bool { left === right }
    /// Hashes the name of the entity.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ResolvedEntity {
    /// Makes an entity of a table: columns of any names, each with values as its attribute has them. It serves to read
    /// rows of tables outside the model.
    package convenience init(table name: String, columns: [(name: String, attribute: AttributeDescription)]) {
        let properties = columns.enumerated().map { slot, column in
            ResolvedProperty(name: column.name, slot: slot, attribute: column.attribute, relationship: nil)
        }
        self.init(
            name: name, index: 0, properties: properties, columnCount: properties.count,
            managedObjectClass: ManagedObject.self)
    }
}

extension ResolvedEntity {
    /// The many-to-many relationships whose links this side keeps.
    var linksKept: [ResolvedProperty] { properties.filter { $0.relationship?.storage == .ownedLinks } }
}
