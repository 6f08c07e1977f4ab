import Backstitch
import BackstitchMacros
import Foundation

extension ManagedObjectModel {
    /// The tables and columns follow from the classes. When they change, stores are migrated as they are opened.
    static let todos = ManagedObjectModel([TodoList.entityDescription, Todo.entityDescription])
}
