import Backstitch
import Foundation
import GRDB
import Harness

/// An order with the columns of the Northwind example.
final class Order: ManagedObject {
    var number: Int {
        get { self["number"] }
        set { self["number"] = newValue }
    }
    var customer: String? {
        get { self["customer"] }
        set { self["customer"] = newValue }
    }
    var employee: Int? {
        get { self["employee"] }
        set { self["employee"] = newValue }
    }
    var ordered: Date? {
        get { self["ordered"] }
        set { self["ordered"] = newValue }
    }
    var required: Date? {
        get { self["required"] }
        set { self["required"] = newValue }
    }
    var shipped: Date? {
        get { self["shipped"] }
        set { self["shipped"] = newValue }
    }
    var shipper: Int? {
        get { self["shipper"] }
        set { self["shipper"] = newValue }
    }
    var freight: Double {
        get { self["freight"] }
        set { self["freight"] = newValue }
    }
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var address: String? {
        get { self["address"] }
        set { self["address"] = newValue }
    }
    var city: String? {
        get { self["city"] }
        set { self["city"] = newValue }
    }
    var region: String? {
        get { self["region"] }
        set { self["region"] = newValue }
    }
    var postalCode: String? {
        get { self["postalCode"] }
        set { self["postalCode"] = newValue }
    }
    var country: String? {
        get { self["country"] }
        set { self["country"] = newValue }
    }

    /// Reads every value of the order.
    var checksum: Int {
        let texts = [customer, name, address, city, region, postalCode, country]
        let dates = [ordered, required, shipped]
        return number &+ (employee ?? 0) &+ (shipper ?? 0) &+ Int(freight)
            &+ texts.reduce(0) { $0 &+ ($1?.utf8.count ?? 0) }
            &+ dates.reduce(0) { $0 &+ Int(($1?.timeIntervalSince1970 ?? 0) / 86_400) }
    }
}

extension ManagedObjectModel {
    static let orders = ManagedObjectModel([
        EntityDescription(
            "Order", class: Order.self,
            [
                .attribute("number", .integer64), .attribute("customer", .string), .attribute("employee", .integer64),
                .attribute("ordered", .date), .attribute("required", .date), .attribute("shipped", .date),
                .attribute("shipper", .integer64), .attribute("freight", .double), .attribute("name", .string),
                .attribute("address", .string), .attribute("city", .string), .attribute("region", .string),
                .attribute("postalCode", .string), .attribute("country", .string),
            ])
    ])
}

/// The same order as a GRDB record written by hand. Dates are seconds, the fastest form in GRDB's documentation.
struct OrderRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "orders"
    var number: Int, customer: String?, employee: Int?, ordered: Date?, required: Date?, shipped: Date?
    var shipper: Int?, freight: Double, name: String?, address: String?, city: String?, region: String?
    var postalCode: String?, country: String?

    init(row: Row) {
        number = row["number"]
        customer = row["customer"]
        employee = row["employee"]
        ordered = (row["ordered"] as Double?).map(Date.init(timeIntervalSince1970:))
        required = (row["required"] as Double?).map(Date.init(timeIntervalSince1970:))
        shipped = (row["shipped"] as Double?).map(Date.init(timeIntervalSince1970:))
        shipper = row["shipper"]
        freight = row["freight"]
        name = row["name"]
        address = row["address"]
        city = row["city"]
        region = row["region"]
        postalCode = row["postalCode"]
        country = row["country"]
    }

    init(_ order: OrderValues) {
        (number, customer, employee, shipper, freight) =
            (order.number, order.texts[0], order.employee, order.shipper, order.freight)
        (ordered, required, shipped) = (order.dates[0], order.dates[1], order.dates[2])
        (name, address, city) = (order.texts[1], order.texts[2], order.texts[3])
        (region, postalCode, country) = (order.texts[4], order.texts[5], order.texts[6])
    }

    func encode(to container: inout PersistenceContainer) {
        container["number"] = number
        container["customer"] = customer
        container["employee"] = employee
        container["ordered"] = ordered?.timeIntervalSince1970
        container["required"] = required?.timeIntervalSince1970
        container["shipped"] = shipped?.timeIntervalSince1970
        container["shipper"] = shipper
        container["freight"] = freight
        container["name"] = name
        container["address"] = address
        container["city"] = city
        container["region"] = region
        container["postalCode"] = postalCode
        container["country"] = country
    }

    var checksum: Int {
        let texts = [customer, name, address, city, region, postalCode, country]
        let dates = [ordered, required, shipped]
        return number &+ (employee ?? 0) &+ (shipper ?? 0) &+ Int(freight)
            &+ texts.reduce(0) { $0 &+ ($1?.utf8.count ?? 0) }
            &+ dates.reduce(0) { $0 &+ Int(($1?.timeIntervalSince1970 ?? 0) / 86_400) }
    }
}

/// The values of an order, for all sides.
struct OrderValues {
    let number: Int
    let employee: Int?
    let shipper: Int?
    let freight: Double
    /// Customer, name, address, city, region, postal code, country.
    let texts: [String?]
    /// The dates of order, requirement and shipment.
    let dates: [Date?]

    static func make(_ count: Int) -> [OrderValues] {
        var random = RandomSource(seed: 11)
        func text(_ lengths: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: lengths, using: &random)).map { _ in
                    Character(UnicodeScalar(UInt8.random(in: 97...122, using: &random)))
                })
        }
        return (0..<count).map { number in
            let ordered = Date(timeIntervalSince1970: Double(Int.random(in: 10_000...19_000, using: &random)) * 86_400)
            let isShipped = number % 40 != 0
            return OrderValues(
                number: 10_248 + number, employee: Int.random(in: 1...9, using: &random),
                shipper: Int.random(in: 1...3, using: &random),
                freight: Double(Int.random(in: 1...100_000, using: &random)) / 100,
                texts: [
                    text(5...5), text(10...25), text(12...30), text(5...14), number % 3 == 0 ? nil : text(8...15),
                    text(5...8), text(3...11),
                ],
                dates: [ordered, ordered.addingTimeInterval(28 * 86_400), isShipped ? ordered + 5 * 86_400 : nil])
        }
    }
}
