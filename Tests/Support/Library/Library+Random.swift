package import Backstitch
import Foundation

extension Library {
    /// A library of random objects and links. Some links lead to missing objects.
    package static func random(_ random: inout some RandomNumberGenerator) throws -> Library {
        let library = try Library()
        for entity in library.model.entities {
            let count = Int.random(in: 0...(entity.name == "Note" ? 60 : 12), using: &random)
            for _ in 0..<count {
                let object = try library.insert(entity.name, key: random.key())
                for property in entity.columns {
                    guard let attribute = property.attribute else { continue }
                    object.values[property.slot] = RandomValues.value(attribute, &random)
                }
            }
        }
        for object in library.objects.values.joined().sorted(by: { $0.objectID < $1.objectID }) {
            try library.link(object, &random)
        }
        library.connect()
        return library
    }

    private func link(_ object: LibraryObject, _ random: inout some RandomNumberGenerator) throws {
        for property in object.entity.relationships {
            guard let relationship = property.relationship else { continue }
            let destinations = objects[relationship.description.destination] ?? []
            switch relationship.storage {
            case .column:
                if random.once(in: 4) { continue }
                if random.once(in: 12) {
                    let gone = ObjectID(entityName: relationship.description.destination, key: random.key())
                    object.values[property.slot] = .object(gone)
                } else if !destinations.isEmpty, !model.inverse(of: relationship).isToOne || random.once(in: 3) {
                    // Two objects may point to the same one by a one-to-one relationship, after a merge for instance.
                    object.values[property.slot] = .object(random.pick(destinations).objectID)
                }
            case .ownedLinks:
                for _ in 0..<Int.random(in: 0...4, using: &random) where !destinations.isEmpty {
                    try link(object, property.name, random.pick(destinations))
                }
            case .inverseColumn, .inverseLinks: continue
            }
        }
    }
}

extension ResolvedProperty {
    package var isToOne: Bool { relationship.map { !$0.isToMany } ?? false }
}
