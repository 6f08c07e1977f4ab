import Backstitch
import BackstitchMacros
import Foundation

/// A list of things to do. With it go its todos.
@Entity final class TodoList: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Todo.list, delete: .cascade) var todos: Set<Todo>
}

/// Something to do.
@Entity final class Todo: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var isDone: Bool = false
    @Attribute var due: Date?
    /// Rises with each change. Clients say which one they have read.
    @Attribute var revision: Int = 1
    @Relationship(inverse: "todos") var list: TodoList?
}

extension ManagedObjectModel {
    /// The tables and columns follow from the classes. When they change, stores are migrated as they are opened.
    static let todos = ManagedObjectModel([TodoList.entityDescription, Todo.entityDescription])
}
