import Backstitch
import GRDB
import Harness

/// Fetches of 16,000 orders with 14 columns of numbers, dates and texts.
enum Orders {
    static let benchmarks = [fetching]

    private static let fetching = Benchmark(
        name: "fetch.orders", summary: "fetch 16,000 orders x 14 columns 10 times, read every value", rounds: 9
    ) { stage in
        let orders = OrderValues.make(stage.rows(16_000))
        let store = try stage.sqlite(.orders, "ours.sqlite")
        try fill(ManagedObjectContext(coordinator: store), orders)
        let pool = try peer(stage, orders)
        let expected = orders.reduce(0) { $0 &+ OrderRecord($1).checksum }
        let c = try CDatabase(stage.path("ours.sqlite"))
        return [
            .ours { stopwatch in
                for _ in 0..<10 {
                    let context = ManagedObjectContext(coordinator: store)
                    let sum = try stopwatch.measure {
                        try context.fetch(FetchRequest<Order>()).reduce(0) { $0 &+ $1.checksum }
                    }
                    try expect(sum, expected, "checksum")
                }
            },
            .peer("GRDB records", target: 1) { stopwatch in
                for _ in 0..<10 {
                    let sum = try stopwatch.measure {
                        try readSync(pool) { try OrderRecord.fetchAll($0).reduce(0) { $0 &+ $1.checksum } }
                    }
                    try expect(sum, expected, "checksum")
                }
            },
            .peer("SQLite in C") { stopwatch in
                for _ in 0..<10 {
                    let rows = try stopwatch.measure { try c.fetch("SELECT * FROM \"Order\"") }
                    try expect(rows, orders.count, "rows")
                }
            },
        ]
    }

    private static func fill(_ context: ManagedObjectContext, _ orders: [OrderValues]) throws {
        for values in orders {
            let order = Order(context: context)
            order.number = values.number
            order.employee = values.employee
            order.shipper = values.shipper
            order.freight = values.freight
            (order.ordered, order.required, order.shipped) = (values.dates[0], values.dates[1], values.dates[2])
            (order.customer, order.name, order.address) = (values.texts[0], values.texts[1], values.texts[2])
            (order.city, order.region) = (values.texts[3], values.texts[4])
            (order.postalCode, order.country) = (values.texts[5], values.texts[6])
        }
        try context.save()
    }

    private static func peer(_ stage: Stage, _ orders: [OrderValues]) throws -> DatabasePool {
        let pool = try stage.grdb("grdb.sqlite")
        try writeSync(pool) { database in
            try database.execute(
                sql: """
                    CREATE TABLE orders (number INTEGER PRIMARY KEY, customer TEXT, employee INTEGER, ordered REAL,
                        required REAL, shipped REAL, shipper INTEGER, freight REAL, name TEXT, address TEXT, city TEXT,
                        region TEXT, postalCode TEXT, country TEXT)
                    """)
            for order in orders { try OrderRecord(order).insert(database) }
        }
        return pool
    }
}
