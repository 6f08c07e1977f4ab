import Backstitch
import Foundation

private struct Address: CompositeValue, Equatable {
    var street: String?
    var city: String?
    var latitude: Double?

    init(street: String? = nil, city: String? = nil, latitude: Double? = nil) {
        (self.street, self.city, self.latitude) = (street, city, latitude)
    }

    init(compositeValues values: [String: Value]) {
        street = values["street"].flatMap { String($0) }
        city = values["city"].flatMap { String($0) }
        latitude = values["place.latitude"].flatMap { Double($0) }
    }

    var compositeValues: [String: Value] {
        [
            "street": street.map(Value.string) ?? .null, "city": city.map(Value.string) ?? .null,
            "place.latitude": latitude.map(Value.double) ?? .null,
        ]
    }
}

private final class Resident: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var address: Address? {
        get { self[composite: "address"] }
        set { self[composite: "address"] = newValue }
    }
    var city: String? {
        get { self["address.city"] }
        set { self["address.city"] = newValue }
    }
    var landlord: Resident? {
        get { self["landlord"] }
        set { self["landlord"] = newValue }
    }
}

extension ManagedObjectModel {
    fileprivate static let residents: ManagedObjectModel = {
        var place = AttributeDescription("place", .string)
        place.elements = [AttributeDescription("latitude", .double), AttributeDescription("longitude", .double)]
        return ManagedObjectModel([
            EntityDescription(
                "Resident", class: Resident.self,
                [
                    .attribute("name", .string),
                    .composite(
                        "address",
                        [
                            AttributeDescription("street", .string),
                            AttributeDescription("city", .string, default: "Rome"), place,
                        ]),
                    .toOne("landlord", "Resident", inverse: "tenants"),
                    .toMany("tenants", "Resident", inverse: "landlord"),
                ])
        ])
    }()
}

extension StoreConformance {
    static let compositeCases = [
        composite("a composite attribute is read and set as a whole and by its parts") { context in
            let resident = Resident(context: context)
            try expectEqual(resident.address, Address(city: "Rome"))
            resident.address = Address(street: "Main", city: "Bern", latitude: 46.9)
            try expectEqual(resident.city, "Bern")
            resident.city = "Basel"
            try expectEqual(try resident.value(forKey: "address.place.latitude"), .double(46.9))
            try resident.setValue(7, forKey: "address.place.longitude")
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let found = try other.existingObject(with: resident.objectID) as? Resident
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
                let resident = Resident(context: context), tenant = Resident(context: context)
                resident.address = Address(city: city, latitude: 1)
                resident.name = city
                tenant.landlord = resident
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                try expectEqual(try context.count(for: FetchRequest<Resident>(where: "address.city == 'Ulm'")), 2)
                try expectEqual(
                    try context.count(for: FetchRequest<Resident>(where: "landlord.address.city == 'Bern'")), 1)
                let sorted = try context.fetch(
                    FetchRequest<Resident>(
                        where: "address.place.latitude > 0 AND ANY tenants.address.city == 'Rome'",
                        sortedBy: [.ascending("address.city")]))
                try expectEqual(sorted.map(\.name), ["Bern", "Ulm", "Ulm"])
            }
            let error = try expectError(.invalidPredicate) {
                _ = try context.fetch(FetchRequest<Resident>(where: "address.town == 'Ulm'"))
            }
            try expect(error.message.contains("address"), error.message)
            try expectError(.invalidPredicate) {
                _ = try context.fetch(FetchRequest<Resident>(where: "address == nil"))
            }
            try context.execute(BatchUpdateRequest(entityName: "Resident", set: ["address.city": "Oslo"]))
            try expectEqual(try context.count(for: FetchRequest<Resident>(where: "address.city == 'Oslo'")), 6)
        },
        composite("a composite that does not fit changes nothing, and names the part") { context in
            let resident = Resident(context: context)
            resident.address = Address(city: "Bern")
            let unknown = try expectError(.invalidRequest) {
                try resident.setComposite(["town": "x"], forKey: "address")
            }
            try expectEqual(unknown.key, "address.town")
            try expectError(.invalidValue) {
                try resident.setComposite(["city": "Ulm", "place.latitude": "north"], forKey: "address")
            }
            try expectError(.invalidRequest) { _ = try resident.composite(forKey: "name") }
            try expectEqual(resident.address, Address(city: "Bern"))
        },
        composite("parts of a composite that different contexts change merge") { context in
            let resident = Resident(context: context)
            resident.address = Address(street: "Main", city: "Bern")
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            (try other.existingObject(with: resident.objectID) as? Resident)?.city = "Ulm"
            try other.save()
            try resident.setValue("Side", forKey: "address.street")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            try expectEqual(resident.address, Address(street: "Side", city: "Ulm"))
            resident.city = "Rom"
            context.rollback()
            try expectEqual(resident.city, "Ulm")
        },
    ]

    private static func composite(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { try await $0.container(.residents).perform(body) }
    }
}
