import Backstitch
import BackstitchMacros
import Foundation

/// Something to do.
@Entity final class Todo: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var isDone: Bool = false
    @Attribute var due: Date?
    /// Rises with each change. Clients say which one they have read.
    @Attribute var revision: Int = 1
    @Relationship(inverse: "todos") var list: TodoList?
}
