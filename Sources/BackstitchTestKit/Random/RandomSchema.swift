import Backstitch
import Foundation

/// A model that grows and shrinks like models of programs, and remembers the origin of each part.
struct RandomSchema {
    /// An attribute. Its number stays when it is renamed.
    struct Attribute {
        /// Identifies the attribute in every version.
        let id: Int
        var name: String
        let type: AttributeType
        /// Whether its bytes are kept outside the row.
        var isExternal = false
        /// Its name in the previous version; nil for a new one.
        var earlierName: String?
    }

    /// An entity. Its number stays when it is renamed.
    struct Entity {
        let id: Int
        var name: String
        var earlierName: String?
        var attributes: [Attribute] = []
    }

    /// A relationship and its inverse.
    struct Link {
        /// One end of a relationship.
        struct End {
            let entity: Int
            var name: String
            var earlierName: String?
            var isToMany: Bool
        }

        let id: Int
        var ends: [End]
    }

    private(set) var entities: [Entity] = []
    private(set) var links: [Link] = []
    private var lastID = 0

    /// Makes three entities and three relationships.
    init(_ random: inout SeededGenerator) {
        for _ in 0..<3 { addEntity(&random) }
        for _ in 0..<3 { addLink(&random) }
    }

    /// The entity with this number in the present version; nil when it was removed.
    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    /// The model of this version.
    var model: ManagedObjectModel {
        ManagedObjectModel(
            entities.map { entity in
                let attributes = entity.attributes.map { attribute in
                    // The storage of a synced attribute cannot change.
                    renamed(
                        .attribute(attribute.name, attribute.type, external: attribute.isExternal)
                            .synced(attribute.type == .binary ? .none : .both),
                        attribute.earlierName, attribute.name)
                }
                let description = EntityDescription(entity.name, attributes + relationships(of: entity))
                guard let earlier = entity.earlierName, earlier != entity.name else { return description }
                return description.renamed(from: earlier)
            })
    }

    /// The relationships of an entity: its ends of links.
    private func relationships(of entity: Entity) -> [PropertyDescription] {
        links.flatMap { link in
            link.ends.indices.filter { link.ends[$0].entity == entity.id }.map { index in
                let end = link.ends[index], inverse = link.ends[1 - index]
                let destination = self.entity(inverse.entity)?.name ?? ""
                return renamed(
                    end.isToMany
                        ? .toMany(end.name, destination, inverse: inverse.name)
                        : .toOne(end.name, destination, inverse: inverse.name), end.earlierName, end.name)
            }
        }
    }

    /// The property as a renamed one, if it had another name in the previous version.
    private func renamed(_ property: PropertyDescription, _ earlier: String?, _ name: String) -> PropertyDescription {
        guard let earlier, earlier != name else { return property }
        return property.renamed(from: earlier)
    }
}

// The changes from one version to the next.
extension RandomSchema {
    /// Makes the next version: some changes, with at least one new attribute. Without it, an earlier model could recur,
    /// and a store treats that as an older program's.
    mutating func evolve(_ random: inout SeededGenerator) {
        forgetOrigins()
        addAttribute(&random)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            switch Int.random(in: 0..<11, using: &random) {
            case 0: addEntity(&random)
            case 1 where entities.count > 2: removeEntity(&random)
            case 2: changeEntity(&random) { entity, name in entity.name = name }
            case 3: addAttribute(&random)
            case 4:
                changeEntity(&random) { entity, _ in if entity.attributes.count > 1 { entity.attributes.removeFirst() }
                }
            case 5: changeEntity(&random) { entity, name in entity.attributes[0].name = name.lowercased() }
            case 6: addLink(&random)
            case 7: changeLink(&random) { link, name in link.ends[0].name = name.lowercased() }
            case 8, 9: moveBytes(&random)
            default: changeLink(&random) { link, _ in link.ends[1].isToMany = true }
            }
        }
    }

    /// Makes the present names the earlier ones, so that the next changes are renames of these.
    private mutating func forgetOrigins() {
        for entity in entities.indices {
            entities[entity].earlierName = entities[entity].name
            for index in entities[entity].attributes.indices {
                entities[entity].attributes[index].earlierName = entities[entity].attributes[index].name
            }
        }
        for link in links.indices {
            for end in 0..<2 { links[link].ends[end].earlierName = links[link].ends[end].name }
        }
    }

    /// A number that was never used before.
    private mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds an entity with two attributes.
    private mutating func addEntity(_ random: inout SeededGenerator) {
        let id = newID()
        entities.append(Entity(id: id, name: "Entity\(id)"))
        for _ in 0..<2 { addAttribute(&random, to: entities.count - 1) }
    }

    /// Removes some entity, together with its relationships.
    private mutating func removeEntity(_ random: inout SeededGenerator) {
        let entity = entities.remove(at: Int.random(in: 0..<entities.count, using: &random))
        links.removeAll { $0.ends.contains { $0.entity == entity.id } }
    }

    /// Adds an attribute of some type, to the entity at a position or to any.
    private mutating func addAttribute(_ random: inout SeededGenerator, to position: Int? = nil) {
        let types: [AttributeType] = [.string, .integer64, .double, .boolean, .date, .decimal, .uuid, .binary, .binary]
        let position = position ?? Int.random(in: 0..<entities.count, using: &random)
        let id = newID()
        let type = types.randomElement(using: &random) ?? .string
        entities[position].attributes.append(
            Attribute(
                id: id, name: "attribute\(id)", type: type, isExternal: type == .binary && Bool.random(using: &random)))
    }

    /// Moves the bytes of some entity's attributes out of the rows, or into them.
    private mutating func moveBytes(_ random: inout SeededGenerator) {
        let position = Int.random(in: 0..<entities.count, using: &random)
        for index in entities[position].attributes.indices where entities[position].attributes[index].type == .binary {
            entities[position].attributes[index].isExternal.toggle()
        }
    }

    /// Adds a relationship between two entities, or of one to itself.
    private mutating func addLink(_ random: inout SeededGenerator) {
        let id = newID()
        let ends = (0..<2).map { end in
            Link.End(
                entity: entities[Int.random(in: 0..<entities.count, using: &random)].id, name: "link\(id)end\(end)",
                isToMany: Bool.random(using: &random))
        }
        links.append(Link(id: id, ends: ends))
    }

    /// Changes some entity. The closure also gets an unused name.
    private mutating func changeEntity(_ random: inout SeededGenerator, _ change: (inout Entity, String) -> Void) {
        let name = "Renamed\(newID())"
        change(&entities[Int.random(in: 0..<entities.count, using: &random)], name)
    }

    /// Changes some relationship. The closure also gets an unused name.
    private mutating func changeLink(_ random: inout SeededGenerator, _ change: (inout Link, String) -> Void) {
        guard !links.isEmpty else { return }
        let name = "Renamed\(newID())"
        change(&links[Int.random(in: 0..<links.count, using: &random)], name)
    }
}

extension AttributeType {
    /// A random value of the type.
    func randomValue(_ random: inout SeededGenerator) -> Value {
        let number = Int64.random(in: -1_000_000...1_000_000, using: &random)
        return switch self {
        case .string: .string("text \(number)")
        case .integer64: .int(number)
        case .double: .double(Double(number) / 7)
        case .boolean: .bool(number % 2 == 0)
        case .date: .date(Date(milliseconds: number * 1_000))
        case .decimal: .decimal(Decimal(number) / 100)
        case .uuid: .uuid(ObjectKey(high: UInt64(bitPattern: number), low: random.next()).uuid)
        case .binary: .data(Data("bytes \(number)".utf8))
        default: .null
        }
    }
}
