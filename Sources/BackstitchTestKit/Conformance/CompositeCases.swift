import Backstitch
import Foundation

extension StoreConformance {
    /// Composite attributes are read and set whole and in part, and fetched by the paths of their parts.
    ///
    /// A backend must
    /// - keep the parts as separate attributes, under names such as `address_city`;
    /// - find and sort by them, also through relationships;
    /// - merge changes of different parts.
    ///
    /// A store fails when it treats the composite itself as a column.
    static let compositeCases = [
        composite("a composite attribute is read and set as a whole and by its parts") { context in
            let warden = Warden(context: context)
            try expectEqual(warden.address, Address(city: "Rome"))
            warden.address = Address(street: "Main", city: "Bern", latitude: 46.9)
            try expectEqual(warden.city, "Bern")
            warden.city = "Basel"
            try expectEqual(try warden.value(forKey: "address.place.latitude"), .double(46.9))
            try warden.setValue(7, forKey: "address.place.longitude")
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let found = try other.existingObject(with: warden.objectID) as? Warden
            try expectEqual(found?.address, Address(street: "Main", city: "Basel", latitude: 46.9))
            try expectEqual(
                try found?.composite(forKey: "address.place"), ["latitude": .double(46.9), "longitude": .double(7)])
            found?.address = nil
            try other.save()
            try expectEqual(try found?.value(forKey: "address_city"), .null)
            try expectEqual(found?.address, nil)
        },
        composite("parts of composites are fetched and sorted by their paths, also through relationships") { context in
            for city in ["Ulm", "Bern", "Ulm"] {
                let warden = Warden(context: context), tenant = Warden(context: context)
                warden.address = Address(city: city, latitude: 1)
                warden.name = city
                tenant.landlord = warden
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                try expectEqual(try context.count(for: FetchRequest<Warden>(where: "address.city == 'Ulm'")), 2)
                try expectEqual(
                    try context.count(for: FetchRequest<Warden>(where: "landlord.address.city == 'Bern'")), 1)
                let sorted = try context.fetch(
                    FetchRequest<Warden>(
                        where: "address.place.latitude > 0 AND ANY tenants.address.city == 'Rome'",
                        sortedBy: [.ascending("address.city")]))
                try expectEqual(sorted.map(\.name), ["Bern", "Ulm", "Ulm"])
            }
            let error = try expectError(.invalidPredicate) {
                _ = try context.fetch(FetchRequest<Warden>(where: "address.town == 'Ulm'"))
            }
            try expect(error.message.contains("address"), error.message)
            try expectError(.invalidPredicate) {
                _ = try context.fetch(FetchRequest<Warden>(where: "address == nil"))
            }
            try context.execute(BatchUpdateRequest(entityName: "Warden", set: ["address.city": "Oslo"]))
            try expectEqual(try context.count(for: FetchRequest<Warden>(where: "address.city == 'Oslo'")), 6)
        },
        composite("a composite that does not fit changes nothing, and names the part") { context in
            let warden = Warden(context: context)
            warden.address = Address(city: "Bern")
            let unknown = try expectError(.invalidRequest) {
                try warden.setComposite(["town": "x"], forKey: "address")
            }
            try expectEqual(unknown.key, "address.town")
            try expectError(.invalidValue) {
                try warden.setComposite(["city": "Ulm", "place.latitude": "north"], forKey: "address")
            }
            try expectError(.invalidRequest) { _ = try warden.composite(forKey: "name") }
            try expectEqual(warden.address, Address(city: "Bern"))
        },
        composite("parts of a composite that different contexts change merge") { context in
            let warden = Warden(context: context)
            warden.address = Address(street: "Main", city: "Bern")
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            (try other.existingObject(with: warden.objectID) as? Warden)?.city = "Ulm"
            try other.save()
            try warden.setValue("Side", forKey: "address.street")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try expectEqual(warden.address, Address(street: "Side", city: "Ulm"))
            warden.city = "Rom"
            context.rollback()
            try expectEqual(warden.city, "Ulm")
        },
    ]

    /// A case on the journal with diaries, whose wardens have addresses.
    private static func composite(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { try await $0.container(.diaries).perform(body) }
    }
}
