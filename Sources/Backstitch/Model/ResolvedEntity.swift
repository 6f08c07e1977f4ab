/// An entity with its properties in fixed slots.
///
/// Slots are numbered: first the stored attributes, then the to-one relationships that are columns of this entity, then
/// the other relationships, then the transient attributes. So a slot below ``columnCount`` is at once the position of
/// its column in a ``RowBatch``.
public final class ResolvedEntity: Sendable {
    /// Name; also the record type, and the table unless a parent's is.
    public let name: String
    /// Position among the model's entities.
    public let index: Int
    /// The properties by slot: the entity's own and inherited ones, and, in a family of entities, those of its
    /// relatives, since all have one layout. See ``ownProperties``.
    public let properties: [ResolvedProperty]
    /// How many of them are columns of the entity's rows.
    public let columnCount: Int
    /// The class of its objects.
    public let managedObjectClass: ManagedObject.Type
    /// The values of a new object's columns.
    public let defaults: [Value]
    /// The columns of each unique constraint.
    public let uniquenessConstraints: [[Int]]

    /// Whether there are objects of its subentities only.
    public let isAbstract: Bool
    /// Names of the entities above it, the nearest first.
    public let lineage: [String]
    /// Names of all entities below it.
    public let subentityNames: [String]
    /// The family that it shares a table with; nil when it has neither parent nor children.
    public let family: EntityFamily?
    /// The properties of its objects, declared and inherited, by slot.
    public let ownProperties: [ResolvedProperty]
    /// The column that leads to the object in whose zone its objects are; see ``EntityDescription/parent(_:)``.
    public let parentColumn: ResolvedProperty?
    /// The values by which its objects are the same everywhere; nil for objects with identities of their own.
    let naturalKey: NaturalKey?
    /// Whether its objects have a natural key.
    package var isIdentifiedByValues: Bool { naturalKey != nil }

    /// Whether the store computes some of its columns, so that rows change when others are written.
    package let hasDerivedColumns: Bool
    /// Paths of the parts of composite attributes, with the names of the attributes that they are stored as.
    let compositePaths: [String: String]
    let ownSlots: PropertySet
    /// The kind of the cells of each column.
    let cellKinds: ContiguousArray<ResolvedProperty.CellKind>
    /// How a database keeps the cells of each column.
    package let cellForms: ContiguousArray<CellForm>
    /// How many words of null bits a row has; see ``RowCells``.
    let nullWords: Int
    /// For each column whose cells are no numbers, its place among those; -1 for the others.
    let otherPlaces: ContiguousArray<Int>
    /// How many columns have cells that are no numbers.
    let otherCount: Int
    /// The first values of a new object.
    let newCells: CellTemplate
    /// The first changes of an object: none.
    let noCells: CellTemplate
    /// By slot, what a value of a number's bits may be set without another look at it.
    let plainColumns: ContiguousArray<PlainColumn>
    /// The properties that an object cannot be saved without, and those columns among them.
    let requiredProperties: [ResolvedProperty]
    let requiredColumns: PropertySet
    /// Whether some of its attributes live in memory only.
    let hasTransients: Bool
    /// The relationships that may not have any number of objects.
    let countedProperties: [ResolvedProperty]
    /// The set of all columns.
    let allColumns: PropertySet
    /// Whether values of some columns go into files of their own.
    package var hasExternalColumns: Bool { !externalColumns.isEmpty }
    /// The columns of external attributes.
    package let externalColumns: [Int]
    /// Looks at the class when it has its first object.
    let classCheck = ClassCheck()
    private let attributeColumns: PropertySet
    private let slotByName: SlotTable

    /// - Parameter slots: The slots of its declared and inherited properties by name; nil for all of `properties`.
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
        // The parts of a composite are found by their paths too. No name holds a point.
        for (path, name) in compositePaths { slotByName[path] = slotByName[name] }
        self.slotByName = SlotTable(slotByName, properties[..<columnCount])
        self.compositePaths = compositePaths
        self.uniquenessConstraints = uniquenessConstraints.map { names in names.compactMap { slotByName[$0] } }
    }

    /// The properties that are columns of the entity's rows: attributes and owned to-one relationships.
    public var columns: ArraySlice<ResolvedProperty> { properties[..<columnCount] }

    /// The columns that objects of the entity have: without those of its relatives. Complexity: O(columns).
    package var ownColumns: [ResolvedProperty] { columns.filter { owns($0.slot) } }

    /// The relationships, by slot.
    public var relationships: [ResolvedProperty] { ownProperties.filter { $0.relationship != nil } }

    /// The property of that name, or nil.
    public func property(named name: String) -> ResolvedProperty? {
        slotByName.slot(of: name).map { properties[$0] }
    }

    /// The slot of the property of that name, or nil.
    @inline(__always)
    func slot(of name: String) -> Int? { slotByName.slot(of: name) }

    /// Where and how the property of a name has its cell; nil for none.
    @inline(__always)
    func column(of name: String) -> SlotTable.Column? { slotByName.column(of: name) }

    /// Whether a column is an attribute's.
    @inline(__always)
    func isAttribute(_ column: Int) -> Bool { attributeColumns.contains(column) }

    /// The property of that name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has none; the message lists those it has.
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
    /// Identity.
    public static func == (left: ResolvedEntity, right: ResolvedEntity) -> Bool { left === right }
    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
