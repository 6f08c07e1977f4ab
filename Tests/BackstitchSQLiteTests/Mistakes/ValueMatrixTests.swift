import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("every value, as a default and in print")
struct ValueMatrixTests {
    @Test("is a default if an object takes it, and otherwise a fault of the model", arguments: MatrixValues.types)
    func defaults(_ type: AttributeType) throws {
        let container = try PersistentContainer(model: Self.model(type), store: .init(type: .sqlite))
        let context = ManagedObjectContext(coordinator: container.coordinator)
        for value in MatrixValues.all {
            let object = try context.insertObject(entityName: "Thing")
            let expected = try Self.verdict {
                try object.setValue(value, forKey: "a")
                try context.save()
            }
            context.rollback()
            #expect(
                Self.verdict(ofDefault: value, type) == (expected == nil || value.isNull ? nil : .invalidModel),
                "\(value.description) for \(type)")
        }
        try container.close()
    }

    @Test("is printed, alone and within all that may hold it", arguments: MatrixValues.types)
    func printing(_ type: AttributeType) throws {
        for value in MatrixValues.all {
            let texts = [
                String(reflecting: value), "\([value])", "\(["a": value])",
                "\(Optional(value) as Any)",
                "\(FetchExpression.value(value))", "\(BatchExpression.value(value))", "\(Self.model(type, value))",
            ]
            for text in texts { #expect(!text.isEmpty) }
            // An empty text is the one value that prints as nothing.
            #expect("\(value)".isEmpty == (value == .string("")))
        }
    }

    private static func model(_ type: AttributeType, _ defaultValue: Value = .null) -> ManagedObjectModel {
        ManagedObjectModel(
            [EntityDescription("Thing", [.attribute("a", type, default: defaultValue), .attribute("b", .boolean)])],
            transformers: [.json("raw", [Int].self)])
    }

    /// The code of the error that `body` throws. The error is printed. Nil when it throws none.
    private static func verdict(_ body: () throws -> Void) throws -> BackstitchError.Code? {
        do {
            try body()
            return nil
        } catch let error as BackstitchError {
            #expect("\(error)".contains(error.message) && !error.message.isEmpty)
            return error.code
        }
    }

    private static func verdict(ofDefault value: Value, _ type: AttributeType) -> BackstitchError.Code? {
        do {
            _ = try ResolvedModel(model(type, value))
            return nil
        } catch {
            #expect(!"\(error)".isEmpty)
            return (error as? BackstitchError)?.code
        }
    }
}
